-- A database of commit 861d2a0, made by its API, worker and sweeper, which were killed while two jobs ran and one waited.
-- 861d2a0.json has what its API answered just before.
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE experiment_members (
	experiment_id CHAR(32) NOT NULL, 
	row_index INTEGER NOT NULL, 
	solve_id CHAR(32) NOT NULL, 
	CONSTRAINT pk_experiment_members PRIMARY KEY (experiment_id, row_index), 
	CONSTRAINT fk_experiment_members_experiment_id FOREIGN KEY(experiment_id) REFERENCES experiments (id) ON DELETE CASCADE, 
	CONSTRAINT fk_experiment_members_solve_id FOREIGN KEY(solve_id) REFERENCES solves (id) ON DELETE CASCADE, 
	CONSTRAINT uq_experiment_members_solve_id UNIQUE (solve_id)
);
INSERT INTO "experiment_members" VALUES('01a2172aeaef71faaa2b9c83f737d998',0,'01a2172aeb1470b3b5e88fda03eef297');
INSERT INTO "experiment_members" VALUES('01a2172aeaef71faaa2b9c83f737d998',1,'01a2172aeb1470b3b5e88fda3fa488f2');
INSERT INTO "experiment_members" VALUES('01a2172aeaef71faaa2b9c83f737d998',2,'01a2172aeb1470b3b5e88fdb1ee76475');
INSERT INTO "experiment_members" VALUES('01a2172aeaef71faaa2b9c83f737d998',3,'01a2172aeb1470b3b5e88fdb5aaee38d');
INSERT INTO "experiment_members" VALUES('01a2172aeaef71faaa2b9c83f737d998',4,'01a2172aeb1470b3b5e88fdb5d10358c');
INSERT INTO "experiment_members" VALUES('01a2172aeaef71faaa2b9c83f737d998',5,'01a2172aeb1470b3b5e88fdc013563b0');
INSERT INTO "experiment_members" VALUES('01a2172aeaef71faaa2b9c83f737d998',6,'01a2172aeb1470b3b5e88fdc71383da2');
INSERT INTO "experiment_members" VALUES('01a2172aeaef71faaa2b9c83f737d998',7,'01a2172aeb1470b3b5e88fdd082dfb77');
CREATE TABLE experiments (
	id CHAR(32) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	created_at DATETIME NOT NULL, 
	puzzle VARCHAR(64) NOT NULL, 
	request TEXT NOT NULL, 
	configurations JSON NOT NULL, 
	trials INTEGER NOT NULL, 
	row_count INTEGER NOT NULL, 
	fingerprint VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_experiments PRIMARY KEY (id)
);
INSERT INTO "experiments" VALUES('01a2172aeaef71faaa2b9c83f737d998','local','2026-11-26 09:23:38.351000','8-puzzle','{"puzzle":"8-puzzle","k":[4,6],"trials":2,"seed":1,"heuristics":["manhattan","zero"]}','[{"role": "search", "algorithm": "astar", "heuristic": "manhattan", "weight": 1.0, "expression": "manhattan", "admissible": "proven", "consistent": "proven"}, {"role": "search", "algorithm": "astar", "heuristic": "zero", "weight": 1.0, "expression": "0", "admissible": "proven", "consistent": "proven"}]',2,8,'36cdce88a1eb44e340ea34a143573401265960313a2db3a7e9bc29f4597899b7');
CREATE TABLE idempotency_keys (
	owner VARCHAR(64) NOT NULL, 
	"key" VARCHAR(255) NOT NULL, 
	fingerprint VARCHAR(64) NOT NULL, 
	resource_id CHAR(32) NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_idempotency_keys PRIMARY KEY (owner, "key")
);
CREATE TABLE scrambles (
	id CHAR(32) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	puzzle VARCHAR(64) NOT NULL, 
	goal TEXT, 
	moves VARCHAR(64) NOT NULL, 
	k INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	alg JSON NOT NULL, 
	state JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_scrambles PRIMARY KEY (id), 
	CONSTRAINT ck_scrambles_k CHECK (k >= 0), 
	CONSTRAINT ck_scrambles_seed CHECK (seed >= 0)
);
INSERT INTO "scrambles" VALUES('01a2172aeaa772b080cd272585884aae','local','8-puzzle','1,2,3,8,0,4,7,6,5','slide',7,0,'["L", "D", "R", "U", "R", "D", "L"]','{"tiles": [1, 2, 3, 7, 4, 5, 6, 0, 8], "rows": "1 2 3 / 7 4 5 / 6 0 8"}','2026-11-26 09:23:38.279000');
INSERT INTO "scrambles" VALUES('01a2172aeada71a0b7b7ff5c4cfd2684','local','8-puzzle','1,2,3,8,0,4,7,6,5','slide',7,1,'["U", "L", "D", "D", "R", "U", "U"]','{"tiles": [8, 0, 3, 7, 1, 4, 6, 2, 5], "rows": "8 0 3 / 7 1 4 / 6 2 5"}','2026-11-26 09:23:38.330000');
CREATE TABLE solve_documents (
	solve_id CHAR(32) NOT NULL, 
	request TEXT NOT NULL, 
	start JSON NOT NULL, 
	heuristic JSON NOT NULL, 
	tags JSON NOT NULL, 
	CONSTRAINT pk_solve_documents PRIMARY KEY (solve_id), 
	CONSTRAINT fk_solve_documents_solve_id FOREIGN KEY(solve_id) REFERENCES solves (id) ON DELETE CASCADE
);
INSERT INTO "solve_documents" VALUES('01a2172ae54d738097077c41f7694ec9','{"puzzle":"megaminx","scramble":{"k":4,"seed":4,"moves":"cw"},"moves":"ccw","heuristic":"ceil(misplaced_facelets / 15)","limits":{"expanded":200000,"memory_mib":1024},"tags":{"run":"old","student":"ann"}}','{"given_as": "scramble", "scramble": {"puzzle": "megaminx", "moves": "cw", "k": 4, "seed": 4, "alg": ["F", "DR", "D", "DR"], "state": {"facelets": {"U": ["U", "L", "L", "U", "U", "U", "U", "U", "U", "U", "L"], "F": ["F", "F", "F", "F", "F", "F", "F", "F", "F", "F", "F"], "L": ["L", "L", "FL", "FL", "FL", "L", "L", "L", "L", "L", "L"], "R": ["R", "R", "R", "R", "D", "D", "FL", "R", "U", "U", "U"], "BL": ["BL", "BL", "BL", "BL", "BL", "BL", "BL", "BL", "BL", "BL", "BL"], "BR": ["BR", "BR", "BR", "BR", "BR", "BR", "FR", "FR", "FR", "BR", "BR"], "D": ["D", "D", "DR", "BR", "BR", "B", "B", "D", "D", "D", "D"], "B": ["B", "DR", "R", "R", "R", "B", "B", "B", "B", "B", "DR"], "FL": ["FL", "DL", "DL", "FL", "FL", "FL", "FR", "FR", "FR", "FL", "DL"], "FR": ["FR", "FL", "FL", "FR", "R", "R", "R", "FR", "D", "D", "B"], "DL": ["DL", "B", "BR", "DL", "DL", "DL", "DL", "DL", "DL", "DL", "B"], "DR": ["DR", "DR", "D", "FR", "FR", "DR", "DR", "DR", "DR", "DR", "DR"]}, "pieces": {"corners": {"pieces": [7, 1, 2, 3, 0, 4, 5, 6, 8, 9, 15, 19, 12, 13, 11, 16, 10, 14, 17, 18], "orientation": [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 2, 0, 0, 1, 2, 2, 2, 0, 0]}, "edges": {"pieces": [8, 1, 2, 3, 4, 0, 5, 6, 7, 9, 10, 11, 12, 21, 14, 15, 16, 17, 18, 29, 24, 19, 25, 22, 23, 13, 26, 27, 28, 20], "orientation": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}}}}, "alg": ["F", "DR", "D", "DR"], "state": {"facelets": {"U": ["U", "L", "L", "U", "U", "U", "U", "U", "U", "U", "L"], "F": ["F", "F", "F", "F", "F", "F", "F", "F", "F", "F", "F"], "L": ["L", "L", "FL", "FL", "FL", "L", "L", "L", "L", "L", "L"], "R": ["R", "R", "R", "R", "D", "D", "FL", "R", "U", "U", "U"], "BL": ["BL", "BL", "BL", "BL", "BL", "BL", "BL", "BL", "BL", "BL", "BL"], "BR": ["BR", "BR", "BR", "BR", "BR", "BR", "FR", "FR", "FR", "BR", "BR"], "D": ["D", "D", "DR", "BR", "BR", "B", "B", "D", "D", "D", "D"], "B": ["B", "DR", "R", "R", "R", "B", "B", "B", "B", "B", "DR"], "FL": ["FL", "DL", "DL", "FL", "FL", "FL", "FR", "FR", "FR", "FL", "DL"], "FR": ["FR", "FL", "FL", "FR", "R", "R", "R", "FR", "D", "D", "B"], "DL": ["DL", "B", "BR", "DL", "DL", "DL", "DL", "DL", "DL", "DL", "B"], "DR": ["DR", "DR", "D", "FR", "FR", "DR", "DR", "DR", "DR", "DR", "DR"]}, "pieces": {"corners": {"pieces": [7, 1, 2, 3, 0, 4, 5, 6, 8, 9, 15, 19, 12, 13, 11, 16, 10, 14, 17, 18], "orientation": [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 2, 0, 0, 1, 2, 2, 2, 0, 0]}, "edges": {"pieces": [8, 1, 2, 3, 4, 0, 5, 6, 7, 9, 10, 11, 12, 21, 14, 15, 16, 17, 18, 29, 24, 19, 25, 22, 23, 13, 26, 27, 28, 20], "orientation": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}}}}','{"name": null, "expression": "ceil(misplaced_facelets / 15)", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no ccw move lowers it by more than 1"}','{"run": "old", "student": "ann"}');
INSERT INTO "solve_documents" VALUES('01a2172ae65271ccac5e4e218d003301','{"puzzle":"megaminx","scramble":{"k":12,"seed":4,"moves":"cw"},"moves":"ccw","heuristic":"misplaced_facelets / 15","limits":{"expanded":2000,"memory_mib":1024}}','{"given_as": "scramble", "scramble": {"puzzle": "megaminx", "moves": "cw", "k": 12, "seed": 4, "alg": ["DL", "DR", "B", "DL", "FR", "FR", "L", "L", "F", "U", "D", "B"], "state": {"facelets": {"U": ["U", "U", "BR", "L", "L", "DL", "DL", "U", "U", "U", "U"], "F": ["F", "R", "R", "F", "F", "F", "D", "D", "B", "F", "BL"], "L": ["L", "BL", "B", "FL", "DR", "L", "L", "L", "L", "L", "BL"], "R": ["R", "BR", "BR", "R", "FR", "FR", "FL", "FL", "U", "U", "BR"], "BL": ["BL", "B", "U", "FL", "FL", "B", "DR", "DR", "DR", "BL", "B"], "BR": ["BR", "BL", "BL", "BR", "B", "D", "FR", "R", "R", "BR", "BL"], "D": ["D", "D", "FR", "R", "D", "DL", "B", "DL", "L", "L", "L"], "B": ["B", "FL", "FL", "DR", "F", "B", "BR", "BR", "BR", "B", "DL"], "FL": ["FL", "DL", "DL", "BL", "U", "U", "D", "FR", "FR", "DR", "DL"], "FR": ["FR", "FL", "BL", "D", "FL", "R", "R", "FR", "FR", "FR", "DR"], "DL": ["DL", "D", "D", "BR", "R", "BL", "F", "F", "F", "DL", "FL"], "DR": ["DR", "FR", "D", "F", "F", "DR", "DR", "DR", "R", "B", "DL"]}, "pieces": {"corners": {"pieces": [13, 1, 12, 2, 3, 4, 19, 16, 0, 7, 11, 6, 10, 14, 5, 15, 18, 17, 8, 9], "orientation": [1, 2, 2, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 0, 2, 0, 0]}, "edges": {"pieces": [4, 11, 26, 2, 3, 0, 5, 20, 7, 1, 8, 9, 12, 29, 28, 16, 19, 17, 22, 13, 24, 14, 27, 23, 10, 25, 18, 15, 21, 6], "orientation": [0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1]}}}}, "alg": ["DL", "DR", "B", "DL", "FR", "FR", "L", "L", "F", "U", "D", "B"], "state": {"facelets": {"U": ["U", "U", "BR", "L", "L", "DL", "DL", "U", "U", "U", "U"], "F": ["F", "R", "R", "F", "F", "F", "D", "D", "B", "F", "BL"], "L": ["L", "BL", "B", "FL", "DR", "L", "L", "L", "L", "L", "BL"], "R": ["R", "BR", "BR", "R", "FR", "FR", "FL", "FL", "U", "U", "BR"], "BL": ["BL", "B", "U", "FL", "FL", "B", "DR", "DR", "DR", "BL", "B"], "BR": ["BR", "BL", "BL", "BR", "B", "D", "FR", "R", "R", "BR", "BL"], "D": ["D", "D", "FR", "R", "D", "DL", "B", "DL", "L", "L", "L"], "B": ["B", "FL", "FL", "DR", "F", "B", "BR", "BR", "BR", "B", "DL"], "FL": ["FL", "DL", "DL", "BL", "U", "U", "D", "FR", "FR", "DR", "DL"], "FR": ["FR", "FL", "BL", "D", "FL", "R", "R", "FR", "FR", "FR", "DR"], "DL": ["DL", "D", "D", "BR", "R", "BL", "F", "F", "F", "DL", "FL"], "DR": ["DR", "FR", "D", "F", "F", "DR", "DR", "DR", "R", "B", "DL"]}, "pieces": {"corners": {"pieces": [13, 1, 12, 2, 3, 4, 19, 16, 0, 7, 11, 6, 10, 14, 5, 15, 18, 17, 8, 9], "orientation": [1, 2, 2, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 0, 2, 0, 0]}, "edges": {"pieces": [4, 11, 26, 2, 3, 0, 5, 20, 7, 1, 8, 9, 12, 29, 28, 16, 19, 17, 22, 13, 24, 14, 27, 23, 10, 25, 18, 15, 21, 6], "orientation": [0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1]}}}}','{"name": null, "expression": "misplaced_facelets / 15", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no ccw move lowers it by more than 1"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172ae6ed720f8431f02b4063e8ce','{"puzzle":"8-puzzle","scramble":{"k":16,"seed":1},"heuristic":"manhattan","limits":{"memory_mib":1024}}','{"given_as": "scramble", "scramble": {"puzzle": "8-puzzle", "moves": "slide", "k": 16, "seed": 1, "alg": ["D", "L", "U", "U", "R", "R", "D", "L", "L", "U", "R", "R", "D", "D", "L", "U"], "state": {"tiles": [3, 4, 6, 2, 0, 5, 8, 1, 7], "rows": "3 4 6 / 2 0 5 / 8 1 7"}}, "alg": ["D", "L", "U", "U", "R", "R", "D", "L", "L", "U", "R", "R", "D", "D", "L", "U"], "state": {"tiles": [3, 4, 6, 2, 0, 5, 8, 1, 7], "rows": "3 4 6 / 2 0 5 / 8 1 7"}}','{"name": "manhattan", "expression": "manhattan", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no slide move lowers it by more than 1"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172ae79f7181aa6a51e08e3914ec','{"puzzle":"15-puzzle","scramble":{"k":30,"seed":1},"algorithm":"ida_star","heuristic":"manhattan","limits":{"memory_mib":1024}}','{"given_as": "scramble", "scramble": {"puzzle": "15-puzzle", "moves": "slide", "k": 30, "seed": 1, "alg": ["D", "D", "D", "R", "U", "L", "D", "R", "R", "U", "L", "D", "R", "R", "U", "L", "L", "U", "R", "D", "R", "D", "L", "L", "U", "U", "U", "L", "D", "D"], "state": {"tiles": [8, 4, 2, 3, 13, 1, 14, 7, 0, 6, 12, 11, 9, 5, 10, 15], "rows": "8 4 2 3 / 13 1 14 7 / 0 6 12 11 / 9 5 10 15"}}, "alg": ["D", "D", "D", "R", "U", "L", "D", "R", "R", "U", "L", "D", "R", "R", "U", "L", "L", "U", "R", "D", "R", "D", "L", "L", "U", "U", "U", "L", "D", "D"], "state": {"tiles": [8, 4, 2, 3, 13, 1, 14, 7, 0, 6, 12, 11, 9, 5, 10, 15], "rows": "8 4 2 3 / 13 1 14 7 / 0 6 12 11 / 9 5 10 15"}}','{"name": "manhattan", "expression": "manhattan", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no slide move lowers it by more than 1"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172aea8572b3ac2c92fdc8801982','{"puzzle":"8-puzzle","state":"2 8 3 / 1 6 4 / 0 7 5","weight":2.0,"heuristic":"2*manhattan","limits":{"memory_mib":1024}}','{"given_as": "state", "state": {"tiles": [2, 8, 3, 1, 6, 4, 0, 7, 5], "rows": "2 8 3 / 1 6 4 / 0 7 5"}}','{"name": null, "expression": "2 * manhattan", "admissible": "refuted", "consistent": "refuted", "reason": "h = 2 but h* = 1 after D"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172aeb1470b3b5e88fda03eef297','{"puzzle":"8-puzzle","scramble":{"k":4,"seed":142289588281496,"moves":"slide"},"moves":"slide","heuristic":"manhattan","limits":{"memory_mib":1024}}','null','{"name": "manhattan", "expression": "manhattan", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no slide move lowers it by more than 1"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172aeb1470b3b5e88fda3fa488f2','{"puzzle":"8-puzzle","scramble":{"k":4,"seed":142289588281496,"moves":"slide"},"moves":"slide","heuristic":"zero","limits":{"memory_mib":1024}}','null','{"name": "zero", "expression": "0", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no slide move lowers it by more than 0"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172aeb1470b3b5e88fdb1ee76475','{"puzzle":"8-puzzle","scramble":{"k":4,"seed":91702647411438,"moves":"slide"},"moves":"slide","heuristic":"manhattan","limits":{"memory_mib":1024}}','null','{"name": "manhattan", "expression": "manhattan", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no slide move lowers it by more than 1"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172aeb1470b3b5e88fdb5aaee38d','{"puzzle":"8-puzzle","scramble":{"k":4,"seed":91702647411438,"moves":"slide"},"moves":"slide","heuristic":"zero","limits":{"memory_mib":1024}}','null','{"name": "zero", "expression": "0", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no slide move lowers it by more than 0"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172aeb1470b3b5e88fdb5d10358c','{"puzzle":"8-puzzle","scramble":{"k":6,"seed":22583543936652,"moves":"slide"},"moves":"slide","heuristic":"manhattan","limits":{"memory_mib":1024}}','null','{"name": "manhattan", "expression": "manhattan", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no slide move lowers it by more than 1"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172aeb1470b3b5e88fdc013563b0','{"puzzle":"8-puzzle","scramble":{"k":6,"seed":22583543936652,"moves":"slide"},"moves":"slide","heuristic":"zero","limits":{"memory_mib":1024}}','null','{"name": "zero", "expression": "0", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no slide move lowers it by more than 0"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172aeb1470b3b5e88fdc71383da2','{"puzzle":"8-puzzle","scramble":{"k":6,"seed":54475639178738,"moves":"slide"},"moves":"slide","heuristic":"manhattan","limits":{"memory_mib":1024}}','null','{"name": "manhattan", "expression": "manhattan", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no slide move lowers it by more than 1"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172aeb1470b3b5e88fdd082dfb77','{"puzzle":"8-puzzle","scramble":{"k":6,"seed":54475639178738,"moves":"slide"},"moves":"slide","heuristic":"zero","limits":{"memory_mib":1024}}','null','{"name": "zero", "expression": "0", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no slide move lowers it by more than 0"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172aee2070d28962b8d17f4afc01','{"puzzle":"megaminx","scramble":{"k":40,"seed":1},"heuristic":"zero","limits":{"expanded":1000000000,"seconds":300.0,"memory_mib":1024}}','{"given_as": "scramble", "scramble": {"puzzle": "megaminx", "moves": "cw", "k": 40, "seed": 1, "alg": ["FR", "D", "U", "DR", "D", "BR", "F", "U", "FL", "B", "D", "L", "U", "U", "L", "DL", "FR", "DR", "BL", "FL", "BR", "DL", "F", "D", "L", "D", "L", "DL", "BL", "BR", "U", "BR", "DL", "R", "DR", "DL", "D", "B", "R", "D"], "state": {"facelets": {"U": ["U", "U", "F", "BR", "BL", "DL", "R", "BR", "F", "R", "FR"], "F": ["F", "F", "D", "F", "R", "R", "FR", "FR", "L", "BR", "R"], "L": ["L", "R", "FR", "U", "FL", "L", "B", "DR", "FR", "BL", "U"], "R": ["R", "F", "U", "U", "DR", "FR", "D", "D", "F", "FR", "DR"], "BL": ["BL", "FL", "L", "U", "DR", "BL", "BL", "R", "B", "L", "U"], "BR": ["BR", "DR", "BR", "BL", "BR", "B", "B", "BR", "R", "L", "L"], "D": ["D", "DL", "DR", "D", "F", "DR", "BR", "F", "FL", "FR", "BR"], "B": ["B", "D", "FL", "B", "DL", "BL", "DR", "DR", "DL", "D", "BL"], "FL": ["FL", "DR", "L", "FL", "BL", "DL", "F", "FL", "FL", "FL", "U"], "FR": ["FR", "B", "BL", "L", "D", "U", "U", "DL", "FL", "D", "B"], "DL": ["DL", "L", "B", "B", "L", "DL", "R", "B", "DL", "F", "DL"], "DR": ["DR", "FL", "D", "FR", "DL", "R", "BR", "BL", "D", "BR", "FR"]}, "pieces": {"corners": {"pieces": [5, 1, 3, 0, 15, 4, 19, 7, 12, 11, 10, 18, 9, 14, 17, 16, 6, 13, 8, 2], "orientation": [0, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 0, 1, 2, 2, 2, 0, 1, 2, 1]}, "edges": {"pieces": [0, 12, 27, 19, 5, 6, 4, 28, 3, 10, 25, 2, 1, 14, 23, 15, 13, 11, 16, 17, 26, 24, 21, 8, 29, 18, 22, 7, 9, 20], "orientation": [0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0]}}}}, "alg": ["FR", "D", "U", "DR", "D", "BR", "F", "U", "FL", "B", "D", "L", "U", "U", "L", "DL", "FR", "DR", "BL", "FL", "BR", "DL", "F", "D", "L", "D", "L", "DL", "BL", "BR", "U", "BR", "DL", "R", "DR", "DL", "D", "B", "R", "D"], "state": {"facelets": {"U": ["U", "U", "F", "BR", "BL", "DL", "R", "BR", "F", "R", "FR"], "F": ["F", "F", "D", "F", "R", "R", "FR", "FR", "L", "BR", "R"], "L": ["L", "R", "FR", "U", "FL", "L", "B", "DR", "FR", "BL", "U"], "R": ["R", "F", "U", "U", "DR", "FR", "D", "D", "F", "FR", "DR"], "BL": ["BL", "FL", "L", "U", "DR", "BL", "BL", "R", "B", "L", "U"], "BR": ["BR", "DR", "BR", "BL", "BR", "B", "B", "BR", "R", "L", "L"], "D": ["D", "DL", "DR", "D", "F", "DR", "BR", "F", "FL", "FR", "BR"], "B": ["B", "D", "FL", "B", "DL", "BL", "DR", "DR", "DL", "D", "BL"], "FL": ["FL", "DR", "L", "FL", "BL", "DL", "F", "FL", "FL", "FL", "U"], "FR": ["FR", "B", "BL", "L", "D", "U", "U", "DL", "FL", "D", "B"], "DL": ["DL", "L", "B", "B", "L", "DL", "R", "B", "DL", "F", "DL"], "DR": ["DR", "FL", "D", "FR", "DL", "R", "BR", "BL", "D", "BR", "FR"]}, "pieces": {"corners": {"pieces": [5, 1, 3, 0, 15, 4, 19, 7, 12, 11, 10, 18, 9, 14, 17, 16, 6, 13, 8, 2], "orientation": [0, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 0, 1, 2, 2, 2, 0, 1, 2, 1]}, "edges": {"pieces": [0, 12, 27, 19, 5, 6, 4, 28, 3, 10, 25, 2, 1, 14, 23, 15, 13, 11, 16, 17, 26, 24, 21, 8, 29, 18, 22, 7, 9, 20], "orientation": [0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0]}}}}','{"name": "zero", "expression": "0", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no ccw move lowers it by more than 0"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172b032573929096a03fda64ecb6','{"puzzle":"15-puzzle","scramble":{"k":80,"seed":0},"algorithm":"ida_star","heuristic":"zero","limits":{"expanded":10000000,"seconds":60.0,"memory_mib":1024}}','{"given_as": "scramble", "scramble": {"puzzle": "15-puzzle", "moves": "slide", "k": 80, "seed": 0, "alg": ["D", "R", "R", "R", "U", "L", "L", "D", "R", "R", "U", "L", "D", "R", "U", "L", "L", "D", "L", "U", "R", "D", "D", "D", "R", "U", "L", "L", "U", "R", "U", "L", "D", "D", "D", "R", "U", "U", "U", "L", "D", "D", "D", "R", "R", "R", "U", "U", "L", "U", "R", "D", "D", "D", "L", "L", "U", "L", "U", "R", "D", "R", "D", "R", "U", "U", "L", "L", "D", "D", "R", "U", "R", "D", "L", "U", "R", "U", "L", "U"], "state": {"tiles": [4, 9, 0, 2, 7, 13, 3, 14, 12, 5, 11, 6, 8, 15, 1, 10], "rows": "4 9 0 2 / 7 13 3 14 / 12 5 11 6 / 8 15 1 10"}}, "alg": ["D", "R", "R", "R", "U", "L", "L", "D", "R", "R", "U", "L", "D", "R", "U", "L", "L", "D", "L", "U", "R", "D", "D", "D", "R", "U", "L", "L", "U", "R", "U", "L", "D", "D", "D", "R", "U", "U", "U", "L", "D", "D", "D", "R", "R", "R", "U", "U", "L", "U", "R", "D", "D", "D", "L", "L", "U", "L", "U", "R", "D", "R", "D", "R", "U", "U", "L", "L", "D", "D", "R", "U", "R", "D", "L", "U", "R", "U", "L", "U"], "state": {"tiles": [4, 9, 0, 2, 7, 13, 3, 14, 12, 5, 11, 6, 8, 15, 1, 10], "rows": "4 9 0 2 / 7 13 3 14 / 12 5 11 6 / 8 15 1 10"}}','{"name": "zero", "expression": "0", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no slide move lowers it by more than 0"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172b034771f7aa16f2e20365e6ce','{"puzzle":"15-puzzle","scramble":{"k":80,"seed":1},"algorithm":"ida_star","heuristic":"zero","limits":{"expanded":10000000,"seconds":60.0,"memory_mib":1024}}','{"given_as": "scramble", "scramble": {"puzzle": "15-puzzle", "moves": "slide", "k": 80, "seed": 1, "alg": ["D", "R", "R", "D", "R", "U", "U", "L", "L", "D", "R", "D", "L", "L", "D", "R", "R", "U", "U", "U", "L", "L", "D", "R", "D", "R", "R", "D", "L", "U", "R", "D", "L", "U", "U", "U", "R", "D", "L", "U", "L", "D", "R", "D", "L", "U", "L", "U", "R", "D", "D", "D", "L", "U", "R", "U", "R", "D", "D", "L", "U", "R", "D", "R", "U", "L", "U", "L", "L", "D", "R", "R", "U", "L", "D", "L", "D", "R", "U", "L"], "state": {"tiles": [8, 10, 4, 3, 14, 11, 5, 6, 0, 12, 1, 13, 2, 15, 7, 9], "rows": "8 10 4 3 / 14 11 5 6 / 0 12 1 13 / 2 15 7 9"}}, "alg": ["D", "R", "R", "D", "R", "U", "U", "L", "L", "D", "R", "D", "L", "L", "D", "R", "R", "U", "U", "U", "L", "L", "D", "R", "D", "R", "R", "D", "L", "U", "R", "D", "L", "U", "U", "U", "R", "D", "L", "U", "L", "D", "R", "D", "L", "U", "L", "U", "R", "D", "D", "D", "L", "U", "R", "U", "R", "D", "D", "L", "U", "R", "D", "R", "U", "L", "U", "L", "L", "D", "R", "R", "U", "L", "D", "L", "D", "R", "U", "L"], "state": {"tiles": [8, 10, 4, 3, 14, 11, 5, 6, 0, 12, 1, 13, 2, 15, 7, 9], "rows": "8 10 4 3 / 14 11 5 6 / 0 12 1 13 / 2 15 7 9"}}','{"name": "zero", "expression": "0", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no slide move lowers it by more than 0"}','{}');
INSERT INTO "solve_documents" VALUES('01a2172b035b715da9edd1f5be1a2c3c','{"puzzle":"15-puzzle","scramble":{"k":80,"seed":2},"algorithm":"ida_star","heuristic":"zero","limits":{"expanded":5000,"seconds":60.0,"memory_mib":1024}}','{"given_as": "scramble", "scramble": {"puzzle": "15-puzzle", "moves": "slide", "k": 80, "seed": 2, "alg": ["R", "R", "R", "D", "D", "L", "L", "U", "L", "U", "R", "R", "R", "D", "L", "L", "D", "L", "U", "R", "U", "L", "D", "R", "U", "R", "D", "L", "D", "R", "U", "R", "D", "L", "L", "L", "D", "R", "U", "L", "U", "U", "R", "R", "R", "D", "L", "D", "R", "U", "L", "L", "L", "D", "R", "R", "D", "L", "L", "U", "R", "R", "R", "U", "L", "D", "D", "R", "U", "L", "U", "L", "L", "D", "R", "D", "R", "R", "U", "U"], "state": {"tiles": [7, 4, 11, 10, 2, 3, 5, 0, 14, 13, 6, 8, 12, 15, 9, 1], "rows": "7 4 11 10 / 2 3 5 0 / 14 13 6 8 / 12 15 9 1"}}, "alg": ["R", "R", "R", "D", "D", "L", "L", "U", "L", "U", "R", "R", "R", "D", "L", "L", "D", "L", "U", "R", "U", "L", "D", "R", "U", "R", "D", "L", "D", "R", "U", "R", "D", "L", "L", "L", "D", "R", "U", "L", "U", "U", "R", "R", "R", "D", "L", "D", "R", "U", "L", "L", "L", "D", "R", "R", "D", "L", "L", "U", "R", "R", "R", "U", "L", "D", "D", "R", "U", "L", "U", "L", "L", "D", "R", "D", "R", "R", "U", "U"], "state": {"tiles": [7, 4, 11, 10, 2, 3, 5, 0, 14, 13, 6, 8, 12, 15, 9, 1], "rows": "7 4 11 10 / 2 3 5 0 / 14 13 6 8 / 12 15 9 1"}}','{"name": "zero", "expression": "0", "admissible": "proven", "consistent": "proven", "reason": "h is 0 at the goal and no slide move lowers it by more than 0"}','{}');
CREATE TABLE solve_tags (
	solve_id CHAR(32) NOT NULL, 
	"key" VARCHAR(64) NOT NULL, 
	value VARCHAR(256) NOT NULL, 
	CONSTRAINT pk_solve_tags PRIMARY KEY (solve_id, "key"), 
	CONSTRAINT fk_solve_tags_solve_id FOREIGN KEY(solve_id) REFERENCES solves (id) ON DELETE CASCADE
);
INSERT INTO "solve_tags" VALUES('01a2172ae54d738097077c41f7694ec9','run','old');
INSERT INTO "solve_tags" VALUES('01a2172ae54d738097077c41f7694ec9','student','ann');
CREATE TABLE solves (
	id CHAR(32) NOT NULL, 
	created_at DATETIME NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	priority INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	losses INTEGER NOT NULL, 
	worker VARCHAR(128), 
	lease_until DATETIME, 
	cancel_requested BOOLEAN NOT NULL, 
	started_at DATETIME, 
	finished_at DATETIME, 
	puzzle VARCHAR(64) NOT NULL, 
	goal TEXT, 
	moves VARCHAR(64) NOT NULL, 
	algorithm VARCHAR(32) NOT NULL, 
	weight DOUBLE NOT NULL, 
	heuristic TEXT NOT NULL, 
	heuristic_name VARCHAR(64), 
	tie_breaking VARCHAR(16) NOT NULL, 
	limit_expanded BIGINT, 
	limit_generated BIGINT, 
	limit_seconds DOUBLE, 
	limit_memory_mib INTEGER NOT NULL, 
	scramble_id CHAR(32), 
	scramble_moves VARCHAR(64), 
	k INTEGER, 
	seed BIGINT, 
	progress_expanded BIGINT, 
	progress_generated BIGINT, 
	progress_stored BIGINT, 
	progress_lower_bound INTEGER, 
	progress_bytes BIGINT, 
	progress_at DATETIME, 
	solution JSON, 
	length INTEGER, 
	optimality VARCHAR(16), 
	lower_bound INTEGER, 
	limit_name VARCHAR(16), 
	expanded BIGINT, 
	generated BIGINT, 
	evaluated BIGINT, 
	reopened BIGINT, 
	stored BIGINT, 
	max_open BIGINT, 
	expanded_last_layer BIGINT, 
	expanded_before_last_layer BIGINT, 
	branching_generated DOUBLE, 
	branching_effective DOUBLE, 
	seconds DOUBLE, 
	peak_bytes BIGINT, 
	error TEXT, method VARCHAR(32), progress_building VARCHAR(128), progress_built DOUBLE, 
	CONSTRAINT pk_solves PRIMARY KEY (id), 
	CONSTRAINT fk_solves_scramble_id FOREIGN KEY(scramble_id) REFERENCES scrambles (id) ON DELETE SET NULL, 
	CONSTRAINT ck_solves_status CHECK (status IN ('queued', 'running', 'cancelled', 'exhausted', 'failed', 'limit_reached', 'solved')), 
	CONSTRAINT ck_solves_lease CHECK ((status = 'running') = (lease_until IS NOT NULL)), 
	CONSTRAINT ck_solves_worker CHECK (status <> 'running' OR worker IS NOT NULL), 
	CONSTRAINT ck_solves_finished CHECK ((status IN ('cancelled', 'exhausted', 'failed', 'limit_reached', 'solved')) = (finished_at IS NOT NULL)), 
	CONSTRAINT ck_solves_solution CHECK ((status = 'solved') = (solution IS NOT NULL)), 
	CONSTRAINT ck_solves_limit CHECK ((status = 'limit_reached') = (limit_name IS NOT NULL)), 
	CONSTRAINT ck_solves_error CHECK ((status = 'failed') = (error IS NOT NULL)), 
	CONSTRAINT ck_solves_attempt CHECK (attempt >= 0 AND losses >= 0 AND losses <= attempt)
);
INSERT INTO "solves" VALUES('01a2172ae54d738097077c41f7694ec9','2026-11-26 09:23:36.909000','solved','local',0,1,0,'vm:12518:2c6cb363',NULL,0,'2026-11-26 09:23:37.269000','2026-11-26 09:23:37.868000','megaminx',NULL,'ccw','astar',1.0,'ceil(misplaced_facelets / 15)',NULL,'low_h',200000,NULL,NULL,1024,NULL,'cw',4,4,NULL,NULL,NULL,NULL,NULL,NULL,'["F''", "DR''", "D''", "DR''"]',4,'proven',4,NULL,4,48,49,0,49,45,2,2,12.0,2.30368361819729727812e+00,0.063005783,10328,NULL,'astar',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172ae65271ccac5e4e218d003301','2026-11-26 09:23:37.170000','limit_reached','local',0,1,0,'vm:12534:3a0e97a5',NULL,0,'2026-11-26 09:23:37.431000','2026-11-26 09:23:38.122000','megaminx',NULL,'ccw','astar',1.0,'misplaced_facelets / 15',NULL,'low_h',2000,NULL,NULL,1024,NULL,'cw',12,4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,10,'expanded',2000,24000,18810,0,18810,16810,NULL,NULL,NULL,NULL,0.263696966,1250784,NULL,'astar',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172ae6ed720f8431f02b4063e8ce','2026-11-26 09:23:37.325000','solved','local',0,1,0,'vm:12518:2c6cb363',NULL,0,'2026-11-26 09:23:37.868000','2026-11-26 09:23:37.933000','8-puzzle','1,2,3,8,0,4,7,6,5','slide','astar',1.0,'manhattan','manhattan','low_h',NULL,NULL,NULL,1024,NULL,'slide',16,1,NULL,NULL,NULL,NULL,NULL,NULL,'["D", "R", "U", "U", "L", "L", "D", "R", "R", "U", "L", "L", "D", "D", "R", "U"]',16,'proven',16,NULL,29,78,51,0,51,22,29,0,4.875,1.1700271265481083649e+00,2.5498e-05,11652,NULL,'astar',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172ae79f7181aa6a51e08e3914ec','2026-11-26 09:23:37.503000','solved','local',0,1,0,'vm:12518:2c6cb363',NULL,0,'2026-11-26 09:23:37.955000','2026-11-26 09:23:37.965000','15-puzzle','0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15','slide','ida_star',1.0,'manhattan','manhattan','low_h',NULL,NULL,NULL,1024,NULL,'slide',30,1,NULL,NULL,NULL,NULL,NULL,NULL,'["U", "U", "R", "D", "D", "D", "R", "U", "U", "L", "D", "D", "R", "U", "L", "L", "D", "R", "U", "L", "U", "U"]',22,'proven',22,NULL,95,178,179,0,23,0,75,20,8.09090909090909171652e+00,1.15821833018384734437e+00,6.4256e-05,33856,NULL,'ida_star',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172aea8572b3ac2c92fdc8801982','2026-11-26 09:23:38.245000','solved','local',0,1,0,'vm:12518:2c6cb363',NULL,0,'2026-11-26 09:23:38.271000','2026-11-26 09:23:38.424000','8-puzzle','1,2,3,8,0,4,7,6,5','slide','astar',2.0,'2 * manhattan',NULL,'low_h',NULL,NULL,NULL,1024,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'["R", "U", "U", "L", "D", "R"]',6,'proven',6,NULL,6,17,13,0,13,7,0,6,2.83333333333333348136e+00,1.30763614898810431874e+00,1.6865e-05,11596,NULL,'astar',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172aeb1470b3b5e88fda03eef297','2026-11-26 09:23:38.388000','solved','local',0,1,0,'vm:12534:3a0e97a5',NULL,0,'2026-11-26 09:23:38.412000','2026-11-26 09:23:38.521000','8-puzzle','1,2,3,8,0,4,7,6,5','slide','astar',1.0,'manhattan','manhattan','low_h',NULL,NULL,NULL,1024,NULL,'slide',4,142289588281496,NULL,NULL,NULL,NULL,NULL,NULL,'["U", "R", "D", "L"]',4,'proven',4,NULL,4,12,10,0,10,6,4,0,3.0,1.49222076195460684466e+00,0.089995409,9292,NULL,'astar',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172aeb1470b3b5e88fda3fa488f2','2026-11-26 09:23:38.388000','solved','local',0,1,0,'vm:12518:2c6cb363',NULL,0,'2026-11-26 09:23:38.424000','2026-11-26 09:23:38.453000','8-puzzle','1,2,3,8,0,4,7,6,5','slide','astar',1.0,'0','zero','low_h',NULL,NULL,NULL,1024,NULL,'slide',4,142289588281496,NULL,NULL,NULL,NULL,NULL,NULL,'["U", "R", "D", "L"]',4,'proven',4,NULL,23,62,41,0,41,18,2,21,15.5,2.48337928963796183978e+00,2.0981e-05,9324,NULL,'astar',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172aeb1470b3b5e88fdb1ee76475','2026-11-26 09:23:38.388000','solved','local',0,1,0,'vm:12518:2c6cb363',NULL,0,'2026-11-26 09:23:38.453000','2026-11-26 09:23:38.454000','8-puzzle','1,2,3,8,0,4,7,6,5','slide','astar',1.0,'manhattan','manhattan','low_h',NULL,NULL,NULL,1024,NULL,'slide',4,91702647411438,NULL,NULL,NULL,NULL,NULL,NULL,'["D", "L", "U", "R"]',4,'proven',4,NULL,4,12,10,0,10,6,4,0,3.0,1.49222076195460684466e+00,7.371e-06,9292,NULL,'astar',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172aeb1470b3b5e88fdb5aaee38d','2026-11-26 09:23:38.388000','solved','local',0,1,0,'vm:12518:2c6cb363',NULL,0,'2026-11-26 09:23:38.454000','2026-11-26 09:23:38.500000','8-puzzle','1,2,3,8,0,4,7,6,5','slide','astar',1.0,'0','zero','low_h',NULL,NULL,NULL,1024,NULL,'slide',4,91702647411438,NULL,NULL,NULL,NULL,NULL,NULL,'["D", "L", "U", "R"]',4,'proven',4,NULL,29,80,53,0,53,24,8,21,20.0,2.67332311163511482376e+00,2.694e-05,10380,NULL,'astar',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172aeb1470b3b5e88fdb5d10358c','2026-11-26 09:23:38.388000','solved','local',0,1,0,'vm:12518:2c6cb363',NULL,0,'2026-11-26 09:23:38.500000','2026-11-26 09:23:38.501000','8-puzzle','1,2,3,8,0,4,7,6,5','slide','astar',1.0,'manhattan','manhattan','low_h',NULL,NULL,NULL,1024,NULL,'slide',6,22583543936652,NULL,NULL,NULL,NULL,NULL,NULL,'["R", "R", "U", "U", "L", "D"]',6,'proven',6,NULL,6,15,11,0,11,5,6,0,2.5,1.26934272105748746639e+00,1.1768e-05,9300,NULL,'astar',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172aeb1470b3b5e88fdc013563b0','2026-11-26 09:23:38.388000','solved','local',0,1,0,'vm:12518:2c6cb363',NULL,0,'2026-11-26 09:23:38.501000','2026-11-26 09:23:38.539000','8-puzzle','1,2,3,8,0,4,7,6,5','slide','astar',1.0,'0','zero','low_h',NULL,NULL,NULL,1024,NULL,'slide',6,22583543936652,NULL,NULL,NULL,NULL,NULL,NULL,'["R", "R", "U", "U", "L", "D"]',6,'proven',6,NULL,77,204,127,0,127,50,26,51,34.0,2.1958302770150752714e+00,1.5473e-05,11628,NULL,'astar',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172aeb1470b3b5e88fdc71383da2','2026-11-26 09:23:38.388000','solved','local',0,1,0,'vm:12534:3a0e97a5',NULL,0,'2026-11-26 09:23:38.521000','2026-11-26 09:23:38.588000','8-puzzle','1,2,3,8,0,4,7,6,5','slide','astar',1.0,'manhattan','manhattan','low_h',NULL,NULL,NULL,1024,NULL,'slide',6,54475639178738,NULL,NULL,NULL,NULL,NULL,NULL,'["L", "D", "R", "R", "U", "L"]',6,'proven',6,NULL,6,17,13,0,13,7,6,0,2.83333333333333348136e+00,1.30763614898810431874e+00,1.7065e-05,9300,NULL,'astar',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172aeb1470b3b5e88fdd082dfb77','2026-11-26 09:23:38.388000','solved','local',0,1,0,'vm:12518:2c6cb363',NULL,0,'2026-11-26 09:23:38.539000','2026-11-26 09:23:38.541000','8-puzzle','1,2,3,8,0,4,7,6,5','slide','astar',1.0,'0','zero','low_h',NULL,NULL,NULL,1024,NULL,'slide',6,54475639178738,NULL,NULL,NULL,NULL,NULL,NULL,'["L", "D", "R", "R", "U", "L"]',6,'proven',6,NULL,113,300,183,0,183,70,44,69,50.0,2.36286950187303679271e+00,3.7616e-05,13668,NULL,'astar',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172aee2070d28962b8d17f4afc01','2026-11-26 09:23:39.168000','cancelled','local',0,1,0,'vm:12518:2c6cb363',NULL,1,'2026-11-26 09:23:39.198000','2026-11-26 09:23:40.793000','megaminx',NULL,'ccw','astar',1.0,'0','zero','low_h',1000000000,NULL,300.0,1024,NULL,'cw',40,1,261120,3133440,2034768,7,91406141,'2026-11-26 09:23:40.753000',NULL,NULL,NULL,7,NULL,262144,3145728,2042098,0,2042098,1779954,NULL,NULL,NULL,NULL,1.573736425,91406141,NULL,'astar',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172b032573929096a03fda64ecb6','2026-11-26 09:23:44.549000','running','local',0,1,0,'vm:12518:2c6cb363','2026-11-26 09:23:59.555000',0,'2026-11-26 09:23:44.555000',NULL,'15-puzzle','0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15','slide','ida_star',1.0,'0','zero','low_h',10000000,NULL,60.0,1024,NULL,'slide',80,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'ida_star',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172b034771f7aa16f2e20365e6ce','2026-11-26 09:23:44.583000','running','local',0,1,0,'vm:12534:3a0e97a5','2026-11-26 09:23:59.596000',0,'2026-11-26 09:23:44.596000',NULL,'15-puzzle','0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15','slide','ida_star',1.0,'0','zero','low_h',10000000,NULL,60.0,1024,NULL,'slide',80,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'ida_star',NULL,NULL);
INSERT INTO "solves" VALUES('01a2172b035b715da9edd1f5be1a2c3c','2026-11-26 09:23:44.603000','queued','local',0,0,0,NULL,NULL,0,NULL,NULL,'15-puzzle','0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15','slide','ida_star',1.0,'0','zero','low_h',5000,NULL,60.0,1024,NULL,'slide',80,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'ida_star',NULL,NULL);
CREATE TABLE statistics_cells (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	by_length BOOLEAN NOT NULL, 
	puzzle VARCHAR(64) NOT NULL, 
	goal TEXT, 
	moves VARCHAR(64) NOT NULL, 
	scramble_moves VARCHAR(64), 
	k INTEGER, 
	algorithm VARCHAR(32) NOT NULL, 
	weight DOUBLE NOT NULL, 
	heuristic TEXT NOT NULL, 
	heuristic_name VARCHAR(64), 
	tie_breaking VARCHAR(16) NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	length INTEGER, 
	solves BIGINT NOT NULL, 
	of_expanded BLOB, 
	of_expanded_last_layer BLOB, 
	of_expanded_before_last_layer BLOB, 
	of_generated BLOB, 
	of_evaluated BLOB, 
	of_reopened BLOB, 
	of_stored BLOB, 
	of_max_open BLOB, 
	of_seconds BLOB, 
	of_peak_bytes BLOB, 
	of_length BLOB, 
	of_branching_generated BLOB, 
	of_branching_effective BLOB, 
	CONSTRAINT pk_statistics_cells PRIMARY KEY (id)
);
CREATE TABLE uncounted_solves (
	solve_id CHAR(32) NOT NULL, 
	CONSTRAINT pk_uncounted_solves PRIMARY KEY (solve_id)
);
INSERT INTO "uncounted_solves" VALUES('01a2172ae54d738097077c41f7694ec9');
INSERT INTO "uncounted_solves" VALUES('01a2172ae6ed720f8431f02b4063e8ce');
INSERT INTO "uncounted_solves" VALUES('01a2172ae79f7181aa6a51e08e3914ec');
INSERT INTO "uncounted_solves" VALUES('01a2172ae65271ccac5e4e218d003301');
INSERT INTO "uncounted_solves" VALUES('01a2172aea8572b3ac2c92fdc8801982');
INSERT INTO "uncounted_solves" VALUES('01a2172aeb1470b3b5e88fda3fa488f2');
INSERT INTO "uncounted_solves" VALUES('01a2172aeb1470b3b5e88fdb1ee76475');
INSERT INTO "uncounted_solves" VALUES('01a2172aeb1470b3b5e88fdb5aaee38d');
INSERT INTO "uncounted_solves" VALUES('01a2172aeb1470b3b5e88fdb5d10358c');
INSERT INTO "uncounted_solves" VALUES('01a2172aeb1470b3b5e88fda03eef297');
INSERT INTO "uncounted_solves" VALUES('01a2172aeb1470b3b5e88fdc013563b0');
INSERT INTO "uncounted_solves" VALUES('01a2172aeb1470b3b5e88fdd082dfb77');
INSERT INTO "uncounted_solves" VALUES('01a2172aeb1470b3b5e88fdc71383da2');
INSERT INTO "uncounted_solves" VALUES('01a2172aee2070d28962b8d17f4afc01');
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
CREATE INDEX ix_solves_queued ON solves (priority, owner, created_at, id) WHERE status = 'queued';
CREATE INDEX ix_solves_running ON solves (owner) WHERE status = 'running';
CREATE INDEX ix_solves_owner_id ON solves (owner, id);
CREATE INDEX ix_solves_status_id ON solves (status, id);
CREATE INDEX ix_solves_puzzle_moves_id ON solves (puzzle, moves, id);
CREATE INDEX ix_solve_tags_key_value_solve_id ON solve_tags ("key", value, solve_id);
CREATE INDEX ix_experiments_owner_id ON experiments (owner, id);
CREATE INDEX ix_experiments_owner_fingerprint_id ON experiments (owner, fingerprint, id);
CREATE INDEX ix_statistics_cells_owner_by_length ON statistics_cells (owner, by_length);
CREATE TRIGGER solves_end AFTER UPDATE OF status ON solves WHEN OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL BEGIN INSERT INTO uncounted_solves (solve_id) VALUES (NEW.id); END;
CREATE TRIGGER solves_ended AFTER INSERT ON solves WHEN NEW.finished_at IS NOT NULL BEGIN INSERT INTO uncounted_solves (solve_id) VALUES (NEW.id); END;
COMMIT;
