/** Whose key is sent, and what it may do. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { api, ask, connection, type Schemas } from "./client";
import { useLoaded } from "./hooks";

export type Me = Schemas["WhoAmI"];

/** Undefined until it is known. */
export const MeContext = createContext<Me | undefined>(undefined);

export const useMe = (): Me | undefined => useContext(MeContext);

/** Whose the present key is; `waiting`: that is not known yet. */
export function useAskedMe(): { me: Me | undefined; waiting: boolean } {
  const { key } = connection;
  const found = useLoaded(["me"], async () => ({ key: connection.key, me: await ask(api.GET("/v1/me")) }));
  const known = found.data?.key === key;
  return { me: known ? found.data?.me : undefined, waiting: !known && !found.problem };
}

/** The owner of a student's key: under this name alone it hands in and reads. */
export const studentOf = (me: Me | undefined): string | null => (me?.role === "student" ? me.owner : null);
