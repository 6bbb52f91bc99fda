import { isDeepStrictEqual } from 'node:util';
import {
  type Clock,
  createLifetime,
  errorMessage,
  type Logger,
  noopLogger,
  type Timer,
  withDeadline,
} from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { decodeManifestList } from './decode-manifest.ts';
import { ManifestError } from './manifest-error.ts';
import { type ManifestFetcher, networkManifestFetcher } from './manifest-fetcher.ts';
import { MAX_MANIFEST_BYTES } from './manifest-reader.ts';
import type { PodSnapshotSource } from './pod-snapshot-source.ts';
import type { LedgerEntry } from './problem-ledger.ts';
import { createSourceOutputs } from './source-outputs.ts';

/** What an HTTP source needs. */
export interface HttpSourcePorts {
  readonly clock: Clock;
  /** Default: over the machine's network. */
  readonly fetcher?: ManifestFetcher;
  readonly logger?: Logger;
}

/** Options of {@link createHttpSource}. */
export interface HttpSourceOptions {
  /** Where a Pod or PodList is served as YAML or JSON (`staticPodURL`, `--manifest-url`). It is part of what the UIDs of the pods follow from. */
  readonly url: string;
  /** Sent with each request, a name as often as it has values (`staticPodURLHeader`, `--manifest-url-header`). Never logged. Default: none. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Name of this node, in lower case as the API server knows it. */
  readonly nodeName: string;
  /** Time from one request to the next. Default: 20 s (`httpCheckFrequency`). */
  readonly checkPeriodMs?: number | undefined;
  /** How long an answer may take. Default: 10 s, as the kubelet's. */
  readonly timeoutMs?: number | undefined;
  /** Whether containers may be privileged. Default: true. */
  readonly allowPrivileged?: boolean;
}

/** Why an answer gives no pods. */
class UnusableAnswer extends Error {}

/**
 * Creates the source `http`: the static pods that a server has for this node, asked for periodically.
 *
 * It differs from the kubelet's in what an empty answer means, because a server that is half set up should not end pods that run: it is a mistake like any other,
 * after which the last good set is kept. No pods at all are an empty `PodList`. The source is not ready before the first good answer.
 *
 * @throws TypeError for a URL that is not one of http or https, or a header that HTTP does not allow
 */
export function createHttpSource(ports: HttpSourcePorts, options: HttpSourceOptions): PodSnapshotSource {
  const { clock, fetcher = networkManifestFetcher, logger = noopLogger } = ports;
  const { url, headers = [], nodeName, checkPeriodMs = 20_000, timeoutMs = 10_000, allowPrivileged = true } = options;
  checkUrl(url);
  // Throws for what no request can carry, before one is tried.
  new Headers(headers.map(([name, value]) => [name, value]));
  const lifetime = createLifetime();
  const outputs = createSourceOutputs('http', logger, lifetime);
  const { ledger } = outputs;
  let lastBody: Uint8Array | undefined;
  /** What was wrong with that. */
  let lastProblems: readonly LedgerEntry[] = [];

  const publish = (pods: readonly Pod[]): void => {
    const before = new Map(outputs.published()?.map((pod) => [pod.metadata?.uid, pod]));
    outputs.publish(
      pods.map((pod) => {
        const earlier = before.get(pod.metadata?.uid);
        return isDeepStrictEqual(earlier, pod) ? earlier! : pod;
      }),
    );
  };

  const fetchBody = async (): Promise<Uint8Array> => {
    const { status, body } = await withDeadline(clock, timeoutMs, lifetime.signal, (signal) =>
      fetcher.get(url, { headers, maxBytes: MAX_MANIFEST_BYTES, signal }),
    );
    if (status !== 200) throw new UnusableAnswer(`the server answered with status ${String(status)}`);
    if (body.length === 0)
      throw new UnusableAnswer('the answer is empty (a server without pods sends an empty PodList)');
    return body;
  };

  const look = async (): Promise<void> => {
    const kept = outputs.published()?.length ? '; its pods are kept as they are' : '';
    let body: Uint8Array;
    try {
      body = await fetchBody();
    } catch (error) {
      if (lifetime.signal.aborted) return;
      const message = `cannot get pods from ${url}: ${reasonOf(error)}; it is tried again every ${String(checkPeriodMs / 1000)} s${kept}`;
      ledger.set(url, [['SourceUnavailable', message]]);
      return;
    }
    if (lastBody !== undefined && Buffer.compare(body, lastBody) === 0) {
      ledger.set(url, lastProblems);
      return;
    }
    lastBody = body;
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
      const { pods, warnings } = decodeManifestList(text, { nodeName, allowPrivileged, origin: { url } });
      lastProblems = warnings.map((warning) => ['ManifestWarning', `${url}: ${warning}`] as const);
      publish(pods);
    } catch (error) {
      const what = error instanceof ManifestError ? error.message : `${url}: is not UTF-8 text; serve YAML or JSON`;
      lastProblems = [['InvalidManifest', `${what}${kept}`]];
    }
    ledger.set(url, lastProblems);
  };
  let nextLook: Timer | undefined;
  const lookRepeatedly = async (): Promise<void> => {
    await look();
    if (!lifetime.signal.aborted) nextLook = clock.setTimer(checkPeriodMs, startLook);
  };
  const startLook = (): void => void lifetime.track(lookRepeatedly());
  lifetime.defer(() => nextLook?.[Symbol.dispose]());

  return outputs.source(startLook);
}

function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new TypeError(`${JSON.stringify(url)} is no URL of a manifest; it must begin with http:// or https://`);
  }
  if (parsed.username === '' && parsed.password === '') return;
  throw new TypeError(
    `the URL of a manifest on ${parsed.host} holds a user name or password; give them in a header, which is not logged`,
  );
}

/** Of a failed fetch, what it failed of is in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return errorMessage(cause) || errorMessage(error);
}
