#!/bin/sh
# The image of PostgreSQL runs this once, when it makes its cluster: the service gets a role that owns only its database.
# The superuser's password is removed, so it can log in only inside the container.
set -eu
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\getenv password POSTGRES_PASSWORD
CREATE ROLE hstar LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'password';
ALTER DATABASE hstar OWNER TO hstar;
REVOKE ALL ON DATABASE hstar, postgres, template1 FROM PUBLIC;
\getenv superuser POSTGRES_USER
ALTER ROLE :"superuser" PASSWORD NULL;
SQL
