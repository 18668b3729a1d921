import { defineConfig } from "vite";

// Built into the service, which serves it below /static/ and index.html as / (see service/page.py).
export default defineConfig({
  base: "/static/",
  build: {
    outDir: "../service/static",
    emptyOutDir: true,
    target: "es2022",
    // What is small would be put into the style sheet as data: addresses.
    assetsInlineLimit: 0,
    // The 3D player is one large piece that is loaded on demand.
    chunkSizeWarningLimit: 1500,
    modulePreload: { polyfill: false },
  },
});
