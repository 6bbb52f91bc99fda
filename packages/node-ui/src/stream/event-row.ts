import type { RecordedEvent } from '@rxlet/component-base/events';
import type { EventRow } from './messages.ts';

/** Returns the row of an event. */
export function eventRow({ object, type, reason, message, count, firstMs, lastMs }: RecordedEvent): EventRow {
  const { kind, namespace = '', name } = object;
  return { namespace, object: `${kind.toLowerCase()}/${name}`, type, reason, message, count, firstMs, lastMs };
}

/** Returns the key of an event: repetitions of an event have the same one. */
export function eventKey({ object, type, reason, message, combined, firstMs }: RecordedEvent): string {
  const { kind, namespace, name, uid, fieldPath } = object;
  // The message of a combined event differs with each occurrence.
  const text = combined === true ? '' : message;
  return JSON.stringify([kind, namespace, name, uid, fieldPath, type, reason, text, firstMs]);
}
