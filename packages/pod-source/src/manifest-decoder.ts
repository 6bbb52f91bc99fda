import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, createSemaphore, type Lifetime, onAbort, type Timer } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import {
  decodeManifest,
  decodeManifestDocuments,
  decodeManifestList,
  type DecodeManifestOptions,
} from './decode-manifest.ts';
import type { ManifestObject } from './objects/manifest-object.ts';
import type { FieldProblem } from '@rxlet/pod-model/validation';
import { ManifestError, type ManifestErrorReason } from './manifest-error.ts';

/** The pods of a manifest, and other objects in it. */
export interface DecodedManifestList {
  readonly pods: readonly Pod[];
  /** Absent unless `documents` were decoded. */
  readonly objects?: readonly ManifestObject[];
  /** As of `DecodedManifest`. */
  readonly warnings: readonly string[];
}

/** Content of a manifest: one pod; a pod or a `PodList`; documents of a pod, ConfigMaps and Secrets. */
export type ManifestForm = 'pod' | 'list' | 'documents';

/** Decodes manifests without blocking the event loop for long. */
export interface ManifestDecoder {
  /**
   * Decodes a manifest, by default that of one pod. Rejects with {@link ManifestError}; with any other error when it could not be decoded now, so that another attempt
   * may succeed.
   */
  decode(bytes: Uint8Array, options: DecodeManifestOptions, form?: ManifestForm): Promise<DecodedManifestList>;
}

/** Largest manifest that is decoded at once. A larger one would block the event loop for tens of milliseconds, and costs more than a thread. */
export const MAX_INLINE_BYTES: number = 16 * 1024;
/** Heap of the thread. A manifest that needs more is rejected. */
const MAX_HEAP_MB = 768;
/** The thread ends after this time without work. */
const IDLE_MS = 1000;

/** Request to the thread. */
export interface DecodeRequest {
  readonly bytes: Uint8Array;
  readonly options: DecodeManifestOptions;
  readonly form: ManifestForm;
}

/** Answer of the thread: classes do not survive the way between threads, and large objects take several times as long as their JSON. */
export type DecodeAnswer =
  | { readonly decodedJson: string }
  | {
      readonly error: {
        readonly reason: ManifestErrorReason;
        readonly detail: string;
        readonly problems: readonly FieldProblem[];
      };
    };

/**
 * Creates a {@link ManifestDecoder}. Manifests of at most {@link MAX_INLINE_BYTES} are decoded at once, larger ones one after another in a thread. The
 * thread ends after a second without work, which frees all its memory, and with `lifetime`.
 *
 * The thread runs `decode-worker.js` beside this module. A bundle must contain it under that name beside the file with this code; without it, large
 * manifests are decoded at once as well.
 */
export function createManifestDecoder(clock: Clock, lifetime: Lifetime): ManifestDecoder {
  const turns = createSemaphore(1);
  let thread: Promise<DecodeThread | undefined> | undefined;
  let idle: Timer | undefined;

  const endThread = async (): Promise<void> => {
    idle?.[Symbol.dispose]();
    const ending = thread;
    thread = undefined;
    await (await ending)?.end();
  };
  onAbort(lifetime.signal, () => void endThread().catch(() => undefined));
  lifetime.defer(endThread);

  const decodeInThread = async (request: DecodeRequest): Promise<DecodedManifestList> => {
    idle?.[Symbol.dispose]();
    thread ??= startThread();
    let current: DecodeThread | undefined;
    try {
      current = await thread;
    } catch (error) {
      // A machine without free threads has some again later.
      thread = undefined;
      throw error;
    }
    if (current === undefined) return decodeNow(request);
    try {
      return await current.decode(request);
    } finally {
      if (current.hasEnded()) thread = undefined;
      else if (!lifetime.signal.aborted) idle = clock.setTimer(IDLE_MS, () => void lifetime.track(endThread()));
    }
  };

  return {
    async decode(bytes, options, form = 'pod') {
      const request = { bytes, options, form };
      if (bytes.length <= MAX_INLINE_BYTES) return decodeNow(request);
      return turns.run(() => decodeInThread(request), lifetime.signal);
    },
  };
}

/** Decodes in this thread. Rejects with {@link ManifestError}. */
export async function decodeNow({ bytes, options, form }: DecodeRequest): Promise<DecodedManifestList> {
  const manifest = manifestOf(options);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ManifestError(
      'NotYaml',
      manifest,
      'is not UTF-8 text; write a Pod as YAML or JSON into it, or remove it',
    );
  }
  if (form === 'list') return decodeManifestList(text, options);
  if (form === 'documents') return decodeManifestDocuments(text, options);
  const { pod, warnings } = await decodeManifest(text, options);
  return { pods: [pod], warnings };
}

interface DecodeThread {
  decode(request: DecodeRequest): Promise<DecodedManifestList>;
  hasEnded(): boolean;
  end(): Promise<void>;
}

async function startThread(): Promise<DecodeThread | undefined> {
  // The sources have another extension than the files built from them.
  const url = new URL(`./decode-worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
  if (!existsSync(url)) return undefined;
  // Imported on demand: most agents never need a thread.
  const { Worker } = await import('node:worker_threads');
  // The environment and the arguments of the agent may contain secrets that the thread does not need.
  const worker = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB }, argv: [], env: {} });
  let ended = false;
  let pending: { readonly manifest: string; readonly outcome: PromiseWithResolvers<DecodedManifestList> } | undefined;
  worker.on('message', (answer: DecodeAnswer) => {
    if (pending === undefined) return;
    const { manifest, outcome } = pending;
    if ('decodedJson' in answer) outcome.resolve(JSON.parse(answer.decodedJson) as DecodedManifestList);
    else outcome.reject(new ManifestError(answer.error.reason, manifest, answer.error.detail, answer.error.problems));
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    ended = true;
    if (pending === undefined) return;
    const { manifest, outcome } = pending;
    const tooLarge = `needs more than ${String(MAX_HEAP_MB)} MiB of memory to be decoded; shorten or remove it`;
    outcome.reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ManifestError('NotYaml', manifest, tooLarge) : error,
    );
  });
  worker.on('exit', () => {
    ended = true;
    pending?.outcome.reject(new Error('the decoding thread ended'));
  });
  return {
    hasEnded: () => ended,
    async end() {
      await worker.terminate();
    },
    async decode(request) {
      pending = { manifest: manifestOf(request.options), outcome: Promise.withResolvers() };
      worker.postMessage(request);
      try {
        return await pending.outcome.promise;
      } finally {
        pending = undefined;
      }
    },
  };
}

function manifestOf({ origin }: DecodeManifestOptions): string {
  return 'file' in origin ? origin.file : origin.url;
}
