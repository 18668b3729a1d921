/** A piece of its own in the bundle, because the player is ten times as large as the rest of the page. */
import { TwistyPlayer } from "cubing/twisty";

export type Twisty = TwistyPlayer;

export interface Definition {
  puzzle?: "megaminx" | "pyraminx" | "2x2x2" | "3x3x3";
  description?: string;
}

export function makePlayer(definition: Definition): TwistyPlayer {
  return new TwistyPlayer({
    ...(definition.puzzle && { puzzle: definition.puzzle }),
    ...(definition.description && { experimentalPuzzleDescription: definition.description }),
    visualization: "PG3D",
    controlPanel: "none",
    background: "none",
    hintFacelets: "none",
    viewerLink: "none",
    cameraDistance: 5.8,
    // Of a tetrahedron two faces are seen where an edge is in the middle.
    cameraLatitude: definition.description ? 18 : 28,
    cameraLongitude: definition.description ? 52 : 20,
    tempoScale: 2,
  });
}
