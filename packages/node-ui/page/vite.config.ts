import { defineConfig } from 'vite';

/** Builds the page into `static/`. All addresses are relative, so that the page works below any path. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  logLevel: 'warn',
  // Packages of the workspace are built from their sources.
  resolve: { conditions: ['@rxlet/source', 'browser', 'module', 'import', 'default'] },
  build: {
    outDir: '../static',
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy permits neither inline scripts nor data in addresses.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    license: { fileName: 'licenses.md' },
  },
});
