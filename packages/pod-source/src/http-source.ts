import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { PodSource } from '@rxlet/agent-api/sources';
import { type Clock, createLifetime, errorMessage, type Timer, withDeadline } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { createManifestDecoder } from './manifest-decoder.ts';
import { ManifestError } from './manifest-error.ts';
import { createManifestFetcher, type ManifestFetcher } from './manifest-fetcher.ts';
import { MAX_MANIFEST_BYTES } from './manifest-reader.ts';
import type { LedgerEntry } from './problem-ledger.ts';
import { createSourceOutputs } from './source-outputs.ts';

/** Ports of {@link createHttpSource}. */
export interface HttpSourcePorts {
  readonly clock: Clock;
  /** Default: over the machine's network. */
  readonly fetcher?: ManifestFetcher;
}

/** Options of {@link createHttpSource}. */
export interface HttpSourceOptions {
  /** URL of a Pod or PodList as YAML or JSON (`staticPodURL`, `--manifest-url`). The UIDs of the pods depend on it. */
  readonly url: string;
  /**
   * Headers of each request, a name as often as it has values (`staticPodURLHeader`, `--manifest-url-header`). Never logged, and not sent on to another
   * host by a redirect. Default: none.
   */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Name of this node, in lower case, as in the API server. */
  readonly nodeName: string;
  /** Pause between two requests. Default: 20 s (`httpCheckFrequency`). */
  readonly checkPeriodMs?: number | undefined;
  /** Limit for the whole answer. Default: 10 s, as the kubelet's. */
  readonly timeoutMs?: number | undefined;
  /** Whether containers may be privileged. Default: true. */
  readonly allowPrivileged?: boolean;
}

/** Thrown for an answer that gives no pods. */
class UnusableAnswer extends Error {}

/**
 * Creates the source `http`: the static pods that a server has for this node, requested periodically.
 *
 * Unlike the kubelet's source it takes an empty answer for a fault, because a server that is half set up should not end pods that run: the last good set is
 * kept. A server without pods sends an empty `PodList`. The source is not ready before the first good answer.
 *
 * @throws TypeError for a URL that is not one of http or https, or a header that HTTP does not allow
 */
export function createHttpSource(ports: HttpSourcePorts, options: HttpSourceOptions): PodSource {
  const { clock, fetcher = createManifestFetcher(process.env) } = ports;
  const { url, headers = [], nodeName, checkPeriodMs = 20_000, timeoutMs = 10_000, allowPrivileged = true } = options;
  checkUrl(url);
  checkManifestHeaders(headers);
  const lifetime = createLifetime();
  const outputs = createSourceOutputs('http', lifetime);
  const { ledger } = outputs;
  const decoder = createManifestDecoder(clock, lifetime);
  /** Of the last answer that was decoded. */
  let lastDigest: string | undefined;
  /** Problems of the last answer. */
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

  const poll = async (): Promise<void> => {
    const kept = outputs.published()?.length ? '; its pods are kept' : '';
    let body: Uint8Array;
    try {
      body = await fetchBody();
    } catch (error) {
      if (lifetime.signal.aborted) return;
      const message = `cannot get pods from ${url}: ${reasonOf(error)}; it is retried every ${String(checkPeriodMs / 1000)} s${kept}`;
      ledger.set(url, [{ reason: 'SourceUnavailable', message }]);
      return;
    }
    const digest = createHash('sha256').update(body).digest('base64');
    if (digest !== lastDigest) {
      lastDigest = digest;
      try {
        const { pods, warnings } = await decoder.decode(body, { nodeName, allowPrivileged, origin: { url } }, 'list');
        lastProblems = warnings.map((warning) => ({ reason: 'ManifestWarning', message: `${url}: ${warning}` }));
        publish(pods);
      } catch (error) {
        if (lifetime.signal.aborted) return;
        const isInvalid = error instanceof ManifestError;
        // Any other failure says nothing about the content, which is decoded again with the next answer.
        if (!isInvalid) lastDigest = undefined;
        const message = isInvalid ? error.message : `cannot decode ${url}: ${errorMessage(error)}`;
        lastProblems = [{ reason: 'InvalidManifest', message: `${message}${kept}` }];
      }
    }
    ledger.set(url, lastProblems);
  };
  let nextPoll: Timer | undefined;
  const pollRepeatedly = async (): Promise<void> => {
    await poll();
    ledger.flush();
    if (!lifetime.signal.aborted) nextPoll = clock.setTimer(checkPeriodMs, startPoll);
  };
  const startPoll = (): void => void lifetime.track(pollRepeatedly());
  lifetime.defer(() => nextPoll?.[Symbol.dispose]());

  return outputs.source(startPoll, () => url);
}

/** Checks the headers of a manifest URL. @throws TypeError that names the header and not its value, which may be a secret */
export function checkManifestHeaders(headers: readonly (readonly [name: string, value: string])[]): void {
  // The first Headers of a process makes Node.js load its HTTP client, which takes 40 ms.
  if (headers.length === 0) return;
  const check = new Headers();
  for (const [name, value] of headers) {
    try {
      check.append(name, '');
    } catch {
      throw new TypeError(`${JSON.stringify(name)} is not a name of an HTTP header`);
    }
    try {
      check.append(name, value);
    } catch {
      throw new TypeError(`the value of header ${JSON.stringify(name)} has characters that HTTP does not allow`);
    }
  }
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

/** Returns the reason of a failed fetch, which is in the error's cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return errorMessage(cause) || errorMessage(error);
}
