import {
  type Clock,
  createBackoff,
  errorMessage,
  jitter,
  type Logger,
  type Random,
  sleep,
} from '@rxlet/component-base';
import type { PlegMetrics } from './pleg-metrics.ts';
import { type ContainerHint, type HintSource, isUnsupported } from './container-hints.ts';

/** What following hints needs. */
export interface HintFollowerPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Pick<PlegMetrics, 'hintsConnected' | 'hintsFailed'>;
  /** A hint came. */
  onHint(hint: ContainerHint): void;
  /** The stream opened or was lost: whether hints can be relied on has changed. What happened while there was no stream, no hint tells. */
  onChange(following: boolean): void;
}

/** Pauses between attempts to open the stream. */
const REOPEN = { initialMs: 1_000, maxMs: 30_000, expiryMs: 60_000 };
/** A stream without an error for this long counts as open: gRPC tells of a refusal sooner, but of a success only with the first message. */
const SETTLE_MS = 500;

/**
 * Keeps a stream of hints open for as long as the signal lets it, with growing pauses after failures, and ends at once when the runtime has no such stream.
 * It never rejects.
 */
export async function followHints(source: HintSource, ports: HintFollowerPorts, signal: AbortSignal): Promise<void> {
  const { clock, random, logger, metrics, onHint, onChange } = ports;
  const backoff = createBackoff(REOPEN);
  while (!signal.aborted) {
    const openedMs = clock.monotonicNow();
    let following = false;
    const settled = (): void => {
      if (following || signal.aborted) return;
      following = true;
      logger.info('following the events of the container runtime', { source: source.name });
      metrics.hintsConnected((clock.monotonicNow() - openedMs) / 1000);
      onChange(true);
    };
    const settling = clock.setTimer(SETTLE_MS, settled);
    let failure: unknown = new Error('the runtime ended the stream');
    try {
      for await (const hint of source.open(signal)) {
        settled();
        onHint(hint);
      }
    } catch (error) {
      failure = error;
    } finally {
      settling[Symbol.dispose]();
    }
    if (signal.aborted) return;
    if (following) onChange(false);
    if (isUnsupported(failure)) {
      logger.info('the container runtime has no events to follow; it is polled', {
        source: source.name,
        cause: errorMessage(failure),
      });
      return;
    }
    metrics.hintsFailed();
    const nowMs = clock.monotonicNow();
    const pauseMs = jitter(random, backoff.next(source.name, nowMs), 0.2);
    logger.warn('lost the events of the container runtime; it is polled until they are back', {
      source: source.name,
      error: errorMessage(failure),
      retryInMs: Math.round(pauseMs),
    });
    await sleep(clock, pauseMs, signal).catch(() => undefined);
  }
}
