export { type Backoff, type BackoffOptions, createBackoff } from './backoff.ts';
export { type Clock, nowNanos, sleep, systemClock, type Timer, toRfc3339 } from './clock.ts';
export { schedulerFromClock } from './clock-scheduler.ts';
export { DeadlineExceededError, withDeadline } from './deadline.ts';
export { createDeadlineQueue, type DeadlineQueue } from './deadline-queue.ts';
export { type CorrelatedEvent, createEventCorrelator, type EventCorrelator } from './event-correlator.ts';
export {
  createEventLog,
  type EventLog,
  type EventObject,
  type EventRecorder,
  type EventType,
  noopEventRecorder,
  type RecordedEvent,
} from './events.ts';
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
export { formatGoDuration, parseGoDuration } from './go-duration.ts';
export { goQuote } from './go-quote.ts';
export { createKeyedExecutor, type KeyedExecutor } from './keyed-executor.ts';
export { createLifetime, type Lifetime, LifetimeEnded } from './lifetime.ts';
export { errorMessage, type LogFields, type Logger, noopLogger } from './logger.ts';
export { createLruMap, type LruMap } from './lru-map.ts';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type Labels,
  type MetricOptions,
  type Metrics,
  noopMetrics,
  type RemovableSeries,
} from './metrics.ts';
export { jitter, type Random, seededRandom, systemRandom, uuid } from './random.ts';
export { createRateLimiter, type RateLimiter } from './rate-limiter.ts';
export { createSemaphore, type Semaphore } from './semaphore.ts';
