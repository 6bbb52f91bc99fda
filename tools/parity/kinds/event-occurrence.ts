import type { EventType } from '@rxlet/component-base/events';

/** An occurrence of an event. */
export interface Occurrence {
  readonly atMs: number;
  readonly object: string;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** The event that was sent for an occurrence, if any. */
export interface Sent {
  readonly skip: boolean;
  readonly count?: number;
  readonly message?: string;
  readonly update?: boolean;
}
