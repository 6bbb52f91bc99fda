import { jitter, type Random } from '@rxlet/component-base';
import type { RetryHint } from './pod-syncer.ts';

/** Delays between two steps of a worker, when none is requested earlier. */
export interface StepDelays {
  /** After a successful step; the longest wait for a back-off, too. */
  readonly resyncIntervalMs: number;
  /** After a failed step. */
  readonly retryDelayMs: number;
  /** After a step that failed for a cause that may pass soon. */
  readonly transientRetryDelayMs: number;
}

/** All delays but back-offs are spread over half as much again, so that the pods of a node are not synced all at once. */
const SPREAD = 0.5;

/** Delay after a back-off that has already passed. It keeps an error with a wrong hint from being retried without a pause. */
const ELAPSED_BACKOFF_DELAY_MS = 100;

/** Returns the delay before the next sync of a pod whose last one succeeded. */
export function resyncDelayMs({ resyncIntervalMs }: StepDelays, random: Random): number {
  return jitter(random, resyncIntervalMs, SPREAD);
}

/**
 * Returns the delay before a failed step is retried. As in the kubelet a transient cause comes first, then back-offs, then the default. Unlike there, a
 * step is retried exactly when its back-off ends: any later moment would lengthen every crash loop.
 */
export function retryDelayMs(hint: RetryHint, delays: StepDelays, nowMs: number, random: Random): number {
  if (hint.transient === true) return jitter(random, delays.transientRetryDelayMs, SPREAD);
  if (hint.backoffUntilMs === undefined) return jitter(random, delays.retryDelayMs, SPREAD);
  const remainingMs = hint.backoffUntilMs - nowMs;
  return Math.min(remainingMs > 0 ? remainingMs : ELAPSED_BACKOFF_DELAY_MS, delays.resyncIntervalMs);
}

/**
 * Returns the retry hint of an error. An AggregateError is transient if one of its errors is. It has a back-off, the one that ends first, only if each of
 * its errors has one, since any other cause may be gone by the next attempt.
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
