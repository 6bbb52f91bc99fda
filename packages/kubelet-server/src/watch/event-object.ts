import { createHash } from 'node:crypto';
import { toRfc3339 } from '@rxlet/component-base';
import type { RecordedEvent } from '@rxlet/component-base/events';
import type { Event } from '@rxlet/kube-api';

/** A recorded event as the API's core/v1 Event. The same event has the same name each time it occurs. */
export function toApiEvent(event: RecordedEvent, nodeName: string): Event {
  const { object, type, reason, message, annotations, count, firstMs, lastMs } = event;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      namespace: object.namespace ?? 'default',
      name: eventName(event),
      creationTimestamp: toRfc3339(firstMs),
      ...(annotations && { annotations }),
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
 * may fall: a hash of their content stands in for the digits below. A combined event is hashed without its message, which changes.
 */
function eventName({ object, type, reason, message, combined, firstMs }: RecordedEvent): string {
  const what = JSON.stringify(combined ? [type, reason] : [object.fieldPath, type, reason, message]);
  const digits = createHash('sha256').update(what).digest().readUInt32BE() % 1_000_000;
  return `${object.name}.${(BigInt(Math.trunc(firstMs)) * 1_000_000n + BigInt(digits)).toString(16)}`;
}
