import type * as Http from 'node:http';

/**
 * Node's module `http`. An import of `node:http` in an ES module reads all its exports, and with that loads Node's `fetch` and `WebSocket`, which nothing here
 * uses: 45 ms of CPU and 12 MB.
 */
export const httpModule: typeof Http = process.getBuiltinModule('node:http');
