import { type Clock, sleep } from '@rxlet/component-base';
import type { DrainStatus } from '@rxlet/node-shutdown';
import type { AgentConnection } from './agent-connection.ts';
import type { Terminal } from './terminal.ts';

/** Options of {@link drain}. */
export interface DrainOptions {
  /** Time for all pods to end, as a Go duration. Default: that of a shutdown of the node. */
  readonly grace?: string;
  readonly cancel: boolean;
}

const POLL_MS = 250;

/**
 * Runs `rxlet drain`: begins to drain the node and waits until its pods have ended; or ends the drain.
 * @throws AgentConnectionError when the agent does not answer, or refuses
 */
export async function drain(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Clock,
  { grace, cancel }: DrainOptions,
): Promise<void> {
  const { signal } = terminal;
  if (cancel) {
    await post(agent, '/drain?cancel=true', signal);
    terminal.print('The node takes pods again.');
    return;
  }
  let status = await post(agent, `/drain${grace === undefined ? '' : `?grace=${encodeURIComponent(grace)}`}`, signal);
  let reported: number | undefined;
  while (status.phase === 'draining') {
    if (status.podsLeft !== reported)
      terminal.print(`${String(status.podsLeft)} ${status.podsLeft === 1 ? 'pod' : 'pods'} left`);
    reported = status.podsLeft;
    await sleep(clock, POLL_MS, signal);
    status = (await agent.getJson('/drain', signal)) as DrainStatus;
  }
  terminal.print(
    status.phase === 'drained'
      ? 'The node is drained. It takes pods again after "rxlet drain --cancel" or a restart of the agent.'
      : 'The drain was cancelled.',
  );
}

async function post(agent: AgentConnection, path: string, signal: AbortSignal): Promise<DrainStatus> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of agent.post(path, signal)) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as DrainStatus;
}
