import { type BoundedQueue, createBoundedQueue } from '@rxlet/component-base/queues';
import { type ContainerEventResponse, ServiceError, StatusCode } from '@rxlet/cri-api';

/** Distributes container events to the open GetContainerEvents calls. */
export interface EventHub {
  /** Reports whether there are subscribers; without one no event needs to be built. */
  readonly active: boolean;
  /** Passes an event to every subscriber. */
  publish(event: ContainerEventResponse): void;
  /**
   * Returns the events from now on. `signal` ends the stream with its reason when it aborts. A subscriber that falls behind by more than the size of the queue
   * gets ResourceExhausted in place of the queued events: it must relist anyway.
   */
  subscribe(signal: AbortSignal): AsyncIterator<ContainerEventResponse>;
}

/** Creates an {@link EventHub} whose subscribers may each be `queueSize` events behind. */
export function createEventHub(queueSize: number): EventHub {
  const subscribers = new Set<BoundedQueue<ContainerEventResponse>>();
  return {
    get active() {
      return subscribers.size > 0;
    },
    publish(event) {
      for (const subscriber of subscribers) {
        if (subscriber.push(event)) continue;
        const behind = `more than ${String(queueSize)} events behind`;
        subscriber.abort(new ServiceError(StatusCode.ResourceExhausted, behind));
      }
    },
    subscribe(signal) {
      const queue = createBoundedQueue<ContainerEventResponse>({
        capacity: queueSize,
        signal,
        onEnd: (ended) => subscribers.delete(ended),
      });
      if (!signal.aborted) subscribers.add(queue);
      return queue;
    },
  };
}
