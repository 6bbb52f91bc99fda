import { type Clock, sleep } from '@rxlet/component-base';
import type { Explanation } from '@rxlet/journal/model';
import { type NodeAnswer, nodeExplanationLines, podExplanationLines } from '../output/explanation-lines.ts';
import { type AgentConnection, AgentConnectionError } from './agent-connection.ts';
import { findPod } from './find-pod.ts';
import type { Terminal } from './terminal.ts';

/** Options of {@link explain}. */
export interface ExplainOptions {
  readonly namespace: string;
  readonly output: 'text' | 'json';
  /** Print the explanation again whenever it changes, until interrupted. */
  readonly watch: boolean;
}

const WATCH_PERIOD_MS = 1_000;

/**
 * Runs `rxlet explain`: prints what a pod waits for and why; without a name, the state of the node and the pods that are not as desired.
 * @throws AgentConnectionError when the agent does not answer, or neither it nor its journal has the pod
 */
export async function explain(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Clock,
  name: string | undefined,
  { namespace, output, watch }: ExplainOptions,
): Promise<void> {
  const { signal } = terminal;
  const path = name === undefined ? '/explain' : await pathOf(agent, name, namespace, signal);
  let printed: string | undefined;
  for (;;) {
    const answer = await agent.getJson(path, signal);
    const text = output === 'json' ? JSON.stringify(answer, undefined, 2) : linesOf(answer, clock.now()).join('\n');
    // Times and durations change with every look; what counts is what the pod does.
    const key = name === undefined ? text : situationOf(answer as Explanation);
    if (key !== printed) terminal.print(printed === undefined ? text : `\n${text}`);
    printed = key;
    if (!watch) return;
    await sleep(clock, WATCH_PERIOD_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
  }
}

function linesOf(answer: unknown, nowMs: number): string[] {
  const isPod = typeof answer === 'object' && answer !== null && 'steps' in answer;
  return isPod ? podExplanationLines(answer as Explanation, nowMs) : nodeExplanationLines(answer as NodeAnswer);
}

function situationOf({ state, waitsFor, lastError, steps }: Explanation): string {
  const waits = waitsFor.map(({ kind, container, subject, sinceMs }) => [kind, container, subject, sinceMs]);
  return JSON.stringify([state, waits, lastError?.atMs, steps.at(-1)]);
}

/** Returns the path of a pod: one that is on the node by the name that was typed, or else one that the journal has by its full name. */
async function pathOf(agent: AgentConnection, typed: string, namespace: string, signal: AbortSignal): Promise<string> {
  const path = (ofNamespace: string, name: string): string =>
    `/explain/${encodeURIComponent(ofNamespace)}/${encodeURIComponent(name)}`;
  try {
    const { metadata } = await findPod(agent, typed, namespace, signal);
    return path(metadata?.namespace ?? namespace, metadata?.name ?? typed);
  } catch (error) {
    if (!(error instanceof AgentConnectionError)) throw error;
    const gone = path(namespace, typed.replace(/^(pods?|po)\//, ''));
    try {
      await agent.getJson(gone, signal);
      return gone;
    } catch {
      // The list of pods that there are helps more.
      throw error;
    }
  }
}
