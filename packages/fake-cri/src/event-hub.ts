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

interface Subscriber {
  deliver(event: ContainerEventResponse): void;
}

type Next = PromiseWithResolvers<IteratorResult<ContainerEventResponse>>;

/** Creates an {@link EventHub} whose subscribers may each be `queueSize` events behind. */
export function createEventHub(queueSize: number): EventHub {
  const subscribers = new Set<Subscriber>();

  const subscribe = (signal: AbortSignal): AsyncIterator<ContainerEventResponse> => {
    let queue: ContainerEventResponse[] = [];
    /** Calls of next() that wait for an event; there are none while events are queued. */
    let waiting: Next[] = [];
    /** Result of each further next() after the end. */
    let end: (() => Promise<IteratorResult<ContainerEventResponse>>) | undefined;

    const finish = (how: () => Promise<IteratorResult<ContainerEventResponse>>): void => {
      if (end !== undefined) return;
      end = how;
      subscribers.delete(subscriber);
      signal.removeEventListener('abort', onAbort);
      for (const next of waiting) next.resolve(how());
      waiting = [];
      queue = [];
    };
    const fail = (error: Error): void => finish(() => Promise.reject(error));
    const onAbort = (): void => fail(signal.reason as Error);
    const subscriber: Subscriber = {
      deliver(event) {
        const next = waiting.shift();
        if (next !== undefined) next.resolve({ done: false, value: event });
        else if (queue.length < queueSize) queue.push(event);
        else fail(new ServiceError(StatusCode.ResourceExhausted, `more than ${String(queueSize)} events behind`));
      },
    };

    subscribers.add(subscriber);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });

    return {
      next() {
        if (end !== undefined) return end();
        const event = queue.shift();
        if (event !== undefined) return Promise.resolve({ done: false, value: event });
        const next: Next = Promise.withResolvers();
        waiting.push(next);
        return next.promise;
      },
      return() {
        finish(() => Promise.resolve({ done: true, value: undefined }));
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  };

  return {
    get active() {
      return subscribers.size > 0;
    },
    publish(event) {
      for (const subscriber of subscribers) subscriber.deliver(event);
    },
    subscribe,
  };
}
