export { type Backoff, type BackoffOptions, createBackoff } from './backoff.ts';
export { type Clock, nowNanos, sleep, type Timer, toRfc3339 } from './clock.ts';
export { systemClock } from './system-clock.ts';
export { schedulerFromClock } from './clock-scheduler.ts';
export { atEndOfTurn } from './end-of-turn.ts';
export { DeadlineExceededError, withDeadline } from './deadline.ts';
export { createDeadlineQueue, type DeadlineQueue } from './deadline-queue.ts';
export { errorMessage } from './error-message.ts';
export {
  type CorrelatedEvent,
  createEventCorrelator,
  type EventCorrelator,
  type EventCorrelatorOptions,
} from './event-correlator.ts';
export { createEventLog, type EventLog, type EventRecorder, noopEventRecorder, type RecordedEvent } from './events.ts';
export type { EventObject, EventType } from './event-types.ts';
export {
  createFailpoint,
  type Failpoint,
  FAILPOINT_CODES,
  type FailpointAction,
  type FailpointCode,
  FailpointError,
  type FailpointErrorReason,
  type FailpointEvaluator,
  type FailpointTerm,
  formatFailpoint,
  parseFailpoint,
} from './failpoint.ts';
export {
  exitOnFatalErrors,
  type FatalErrorOptions,
  type FatalErrorPorts,
  type FatalErrorProcess,
} from './fatal-errors.ts';
export { parseGoBoolean } from './go-boolean.ts';
export { formatGoDuration, parseGoDuration } from './go-duration.ts';
export { parseInt64 } from './go-integer.ts';
export { goQuote } from './go-quote.ts';
export { createKeyedExecutor, type KeyedExecutor } from './keyed-executor.ts';
export { createLifetime, type Lifetime, LifetimeEnded } from './lifetime.ts';
export { type LogFields, type Logger, noopLogger } from './logger.ts';
export { createLruMap, type LruMap } from './lru-map.ts';
export {
  type Counter,
  type Gauge,
  type GaugeOptions,
  type Histogram,
  type Labels,
  type MetricOptions,
  type Metrics,
  noopMetrics,
  type RemovableSeries,
  type Sample,
} from './metrics.ts';
export { createProblemLog, type ProblemLog } from './problem-log.ts';
export { jitter, type Random, seededRandom, systemRandom, uuid } from './random.ts';
export { createRateLimiter, type RateLimiter } from './rate-limiter.ts';
export { createSemaphore, type Semaphore } from './semaphore.ts';
