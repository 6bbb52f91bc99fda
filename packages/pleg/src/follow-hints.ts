import {
  type Clock,
  createBackoff,
  errorMessage,
  jitter,
  type Logger,
  type Random,
  sleep,
} from '@rxlet/component-base';
import { type ContainerHint, type HintSource, isUnsupported } from './container-hints.ts';
import type { PlegMetrics } from './pleg-metrics.ts';

/** Ports of {@link followHints}. */
export interface HintFollowerPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Pick<PlegMetrics, 'hintsConnected' | 'hintsFailed'>;
  /** Receives each hint. */
  onHint(hint: ContainerHint): void;
  /** Called when the stream of a source is open, and with `undefined` when it is lost. Changes between two streams have no hints. */
  onChange(source: HintSource | undefined): void;
}

/** Pauses between attempts to open the stream. */
const REOPEN = { initialMs: 1_000, maxMs: 30_000, expiryMs: 60_000 };
/** A connected stream without an error for this long counts as open: gRPC reports a rejection sooner, but a success only with the first message. */
const SETTLE_MS = 500;
/** Number of consecutive streams that end at once and without an error, after which events count as unsupported: CRI-O does so with `enable_pod_events` off. */
const MAX_EMPTY_STREAMS = 3;

/** How a stream of hints ended. */
type StreamEnd =
  | { readonly kind: 'unsupported'; readonly cause: string }
  /** The stream ended at once, without an event and without an error. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'lost'; readonly cause: string };

/**
 * Keeps a stream of hints open until the signal aborts: that of the first source which the runtime supports. It retries with back-off after failures, and
 * returns early if no source is supported. It never rejects.
 */
export async function followHints(
  sources: readonly HintSource[],
  ports: HintFollowerPorts,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, logger, metrics } = ports;
  const backoff = createBackoff(REOPEN);
  let emptyStreams = 0;
  while (!signal.aborted) {
    const { source, end } = await followFirstSupported(sources, ports, signal);
    if (signal.aborted) return;
    emptyStreams = end.kind === 'empty' ? emptyStreams + 1 : 0;
    if (end.kind === 'unsupported') {
      logger.info('the container runtime offers no event stream; polling it', {
        sources: sources.map(({ name }) => name),
        cause: end.cause,
      });
      return;
    }
    if (emptyStreams === MAX_EMPTY_STREAMS) {
      const message = 'the container runtime ends its event stream at once; polling it (CRI-O needs enable_pod_events)';
      logger.warn(message, { source: source?.name });
      return;
    }
    const pauseMs = jitter(random, backoff.next('', clock.monotonicNow()), 0.2);
    if (end.kind === 'lost') {
      metrics.hintsFailed();
      logger.warn('lost the event stream of the container runtime; polling it until the stream is back', {
        source: source?.name,
        error: end.cause,
        retryInMs: Math.round(pauseMs),
      });
    }
    await sleep(clock, pauseMs, signal).catch(() => undefined);
  }
}

/** Follows the first source that the runtime supports. An empty stream is skipped too, but reported unless another source works. */
async function followFirstSupported(
  sources: readonly HintSource[],
  ports: HintFollowerPorts,
  signal: AbortSignal,
): Promise<{ readonly source?: HintSource; readonly end: StreamEnd }> {
  let result: { readonly source?: HintSource; readonly end: StreamEnd } = {
    end: { kind: 'unsupported', cause: 'no source of hints was given' },
  };
  for (const source of sources) {
    const end = await follow(source, ports, signal);
    if (end.kind === 'lost') return { source, end };
    if (end.kind === 'empty' || result.end.kind === 'unsupported') result = { source, end };
  }
  return result;
}

/** Follows one stream to its end. */
async function follow(source: HintSource, ports: HintFollowerPorts, signal: AbortSignal): Promise<StreamEnd> {
  const { clock, logger, metrics, onHint, onChange } = ports;
  const openedMs = clock.monotonicNow();
  let isOpen = false;
  const opened = (): void => {
    if (isOpen || signal.aborted) return;
    isOpen = true;
    logger.info('following the event stream of the container runtime', { source: source.name });
    metrics.hintsConnected((clock.monotonicNow() - openedMs) / 1000);
    onChange(source);
  };
  using settling = new DisposableStack();
  const settle = (): void => {
    if (!settling.disposed) settling.use(clock.setTimer(SETTLE_MS, opened));
  };
  try {
    const stream = source.open(signal);
    if (stream.connected === undefined) settle();
    else void stream.connected.then(settle);
    for await (const hint of stream) {
      opened();
      onHint(hint);
    }
    return isOpen ? { kind: 'lost', cause: 'the runtime ended the stream' } : { kind: 'empty' };
  } catch (error) {
    return { kind: isUnsupported(error) ? 'unsupported' : 'lost', cause: errorMessage(error) };
  } finally {
    if (isOpen && !signal.aborted) onChange(undefined);
  }
}
