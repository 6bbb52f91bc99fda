import type { AgentConnection } from './agent-connection.ts';

/** A change of an object, an event of the agent's watches. */
export interface ObjectChange<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/**
 * Watches the list at `path`: yields all existing objects together, then each change, until `signal` aborts.
 * @throws AgentConnectionError
 */
export async function* watchList<T>(
  agent: AgentConnection,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<readonly ObjectChange<T>[], void> {
  let initial: ObjectChange<T>[] | undefined = [];
  for await (const line of agent.streamJson(`${path}?watch=true&sendInitialEvents=true`, signal)) {
    const change = line as ObjectChange<T> | { readonly type: 'BOOKMARK' };
    if (change.type === 'BOOKMARK') {
      yield initial ?? [];
      initial = undefined;
    } else if (initial === undefined) {
      yield [change];
    } else {
      initial.push(change);
    }
  }
}
