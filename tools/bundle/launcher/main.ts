import { channel } from 'node:diagnostics_channel';
import { BundleLoader } from './bundle-loader.ts';
import { CodeCache } from './code-cache.ts';

/** The chunk to begin with, which the bundler fills in. */
declare const ENTRY_CHUNK: string;

/**
 * Time after which the functions of a start have run, and V8 has not yet dropped the code of those that run once. A process that ends before is recorded at its end.
 */
const SETTLED_MS = 10_000;

const loader = new BundleLoader(import.meta.dirname, new CodeCache(import.meta.dirname));

let afterRecording: (() => void) | undefined;
const record = (): void => {
  loader.record();
  afterRecording?.();
  afterRecording = undefined;
};
// eslint-disable-next-line no-restricted-globals -- a timer of the Clock would keep the process alive
const timer = setTimeout(record, SETTLED_MS).unref();
process.once('exit', () => loader.record());
// An app that wants other flags of V8 once it is loaded leaves that to this file: code that is recorded under other flags would be rejected at the next start.
channel('rxlet.loaded').subscribe((message) => {
  const { setFlags } = message as { readonly setFlags: () => void };
  if (!loader.isComplete) {
    afterRecording = setFlags;
    return;
  }
  clearTimeout(timer);
  setFlags();
});

loader.load(ENTRY_CHUNK);
