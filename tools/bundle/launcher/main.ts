import { BundleLoader } from './bundle-loader.ts';
import { CodeCache } from './code-cache.ts';

/** The chunk to begin with, which the bundler fills in. */
declare const ENTRY_CHUNK: string;

/**
 * Time after which the functions of a start have run, and V8 has not yet dropped the code of those that run once. A process that ends before is recorded at its end.
 */
const SETTLED_MS = 10_000;

const loader = new BundleLoader(import.meta.dirname, new CodeCache(import.meta.dirname));

// eslint-disable-next-line no-restricted-globals -- a timer of the Clock would keep the process alive
setTimeout(() => loader.record(), SETTLED_MS).unref();
process.once('exit', () => loader.record());

loader.load(ENTRY_CHUNK);
