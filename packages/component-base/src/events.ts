export {
  type CorrelatedEvent,
  createEventCorrelator,
  type EventCorrelator,
  type EventCorrelatorOptions,
} from './event-correlator.ts';
export {
  createEventLog,
  type EventLog,
  type EventRecorder,
  noopEventRecorder,
  type RecordedEvent,
} from './event-log.ts';
export type { EventObject, EventType } from './event-types.ts';
