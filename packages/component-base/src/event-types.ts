/** Object of an event (core/v1 ObjectReference, the fields a node agent sets). */
export interface EventObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  /** Version that the event is about. Events of different versions are the same event. */
  readonly resourceVersion?: string;
  /** Part of the object, such as `spec.containers{web}`. */
  readonly fieldPath?: string;
}

/** `Warning` for events that may need attention. */
export type EventType = 'Normal' | 'Warning';
