/** Whose key is sent, and what it may do. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { api, ask, type Schemas } from "./client";
import { useLoaded } from "./hooks";

export type Me = Schemas["WhoAmI"];

/** Undefined until it is known. */
export const MeContext = createContext<Me | undefined>(undefined);

export const useMe = (): Me | undefined => useContext(MeContext);

export const useAskedMe = (): Me | undefined => useLoaded(["me"], () => ask(api.GET("/v1/me"))).data;

/** The owner of a student's key: under this name alone it hands in and reads. */
export const studentOf = (me: Me | undefined): string | null => (me?.role === "student" ? me.owner : null);
