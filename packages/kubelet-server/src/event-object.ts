import { type RecordedEvent, toRfc3339 } from '@rxlet/component-base';
import type { Event } from '@rxlet/kube-api';

/** A recorded event as the API's core/v1 Event. The same event has the same name each time it occurs. */
export function toApiEvent(event: RecordedEvent, nodeName: string): Event {
  const { object, type, reason, message, count, firstMs, lastMs } = event;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      namespace: object.namespace ?? 'default',
      name: eventName(event),
      creationTimestamp: toRfc3339(firstMs),
    },
    involvedObject: object,
    type,
    reason,
    message,
    count,
    firstTimestamp: toRfc3339(firstMs),
    lastTimestamp: toRfc3339(lastMs),
    source: { component: 'kubelet', host: nodeName },
    reportingComponent: 'kubelet',
    reportingInstance: nodeName,
  };
}

/**
 * The API's convention for names of events: the object's name and the time in hex nanoseconds. Our times are milliseconds, in which several events
 * may fall: what they say stands in for the digits below. A combined event says something else each time.
 */
function eventName({ object, type, reason, message, combined, firstMs }: RecordedEvent): string {
  const digits =
    fnv1a(JSON.stringify(combined ? [type, reason] : [object.fieldPath, type, reason, message])) % 1_000_000;
  return `${object.name}.${(BigInt(Math.trunc(firstMs)) * 1_000_000n + BigInt(digits)).toString(16)}`;
}

/** A 32-bit hash (FNV-1a) of the text's UTF-16 units. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
