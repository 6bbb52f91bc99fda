import { jitter, type Random } from '@rxlet/component-base';
import type { RetryHint } from './pod-syncer.ts';

/** How long a worker waits between two steps, when nothing else wakes it. */
export interface StepDelays {
  /** After a step that succeeded; no back-off is waited for longer. */
  readonly resyncIntervalMs: number;
  /** After one that failed. */
  readonly retryDelayMs: number;
  /** After one that failed for a cause that may pass soon. */
  readonly transientRetryDelayMs: number;
}

/** All delays but back-offs are spread over half as much again, so that the pods of a node do not all come at once. */
const SPREAD = 0.5;

/** The wait after a back-off that is over already: an error whose hint never lies in the future must not be retried without a pause. */
const ELAPSED_BACKOFF_DELAY_MS = 100;

/** When a pod in order is looked at again. */
export function resyncDelayMs({ resyncIntervalMs }: StepDelays, random: Random): number {
  return jitter(random, resyncIntervalMs, SPREAD);
}

/**
 * When a failed step is tried again. The order is the kubelet's: what may pass soon, then back-offs, then all else. Unlike there, a pod is looked at
 * exactly when its back-off ends: any later moment would lengthen every crash loop.
 */
export function retryDelayMs(hint: RetryHint, delays: StepDelays, nowMs: number, random: Random): number {
  if (hint.transient === true) return jitter(random, delays.transientRetryDelayMs, SPREAD);
  if (hint.backoffUntilMs === undefined) return jitter(random, delays.retryDelayMs, SPREAD);
  const remainingMs = hint.backoffUntilMs - nowMs;
  return Math.min(remainingMs > 0 ? remainingMs : ELAPSED_BACKOFF_DELAY_MS, delays.resyncIntervalMs);
}

/**
 * What an error says about the next try. Of an AggregateError all errors count: it is transient if one of them is, and has a back-off, the one that ends
 * first, only if all of them have, since any other cause may be gone by the next try.
 */
export function readRetryHint(error: unknown): RetryHint {
  const { backoffUntilMs, transient } = (typeof error === 'object' && error !== null ? error : {}) as RetryHint;
  const own = {
    ...(typeof backoffUntilMs === 'number' && Number.isFinite(backoffUntilMs) && { backoffUntilMs }),
    ...(transient === true && { transient }),
  };
  if (!(error instanceof AggregateError) || own.backoffUntilMs !== undefined || own.transient === true) return own;
  const hints = error.errors.map(readRetryHint);
  const ends = hints.flatMap((hint) => hint.backoffUntilMs ?? []);
  return {
    ...(ends.length > 0 && ends.length === hints.length && { backoffUntilMs: Math.min(...ends) }),
    ...(hints.some((hint) => hint.transient === true) && { transient: true }),
  };
}
