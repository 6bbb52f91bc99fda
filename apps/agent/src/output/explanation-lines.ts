import type { Explanation, NodeExplanation, Step } from '@rxlet/journal/model';
import { formatDuration } from '@rxlet/journal/model';
import { printable } from './printable.ts';

/** Answer of the endpoint `/explain`. */
export interface NodeAnswer {
  readonly node: NodeExplanation;
  readonly podCount: number;
  readonly pods: readonly Explanation[];
}

/** Returns the explanation of a pod as lines of one screen. Text of the cluster cannot move the cursor. */
export function podExplanationLines(explanation: Explanation, nowMs: number): string[] {
  const { pod, sentence, sinceMs, waitsFor, lastError, nextTryAtMs, help, steps } = explanation;
  const [, ...others] = waitsFor;
  return [
    `Pod ${pod.namespace}/${pod.name} ${sentence}`,
    '',
    ...field('Since', `${age(sinceMs, nowMs)} ago`),
    ...(nextTryAtMs === undefined ? [] : field('Next try', `in ${formatDuration(nextTryAtMs - nowMs)}`)),
    ...others.flatMap((wait, index) => field(index === 0 ? 'Also' : '', wait.sentence)),
    ...(lastError === undefined
      ? []
      : field(
          'Last error',
          `${[lastError.code, lastError.message].filter(Boolean).join(': ')} (${age(lastError.atMs, nowMs)} ago)`,
        )),
    ...help.flatMap((text, index) => field(index === 0 ? 'Help' : '', text.replaceAll('POD', pod.name))),
    ...(steps.length === 0 ? [] : ['', 'Last steps', ...steps.map((step) => `  ${stepLine(step, nowMs)}`)]),
  ].map(printable);
}

/** Returns the explanation of the node, and of the pods that are not as desired. */
export function nodeExplanationLines({ node, podCount, pods }: NodeAnswer): string[] {
  const rest = podCount - pods.length;
  const asDesired = `${String(rest)} of ${String(podCount)} ${podCount === 1 ? 'pod is' : 'pods are'} as desired`;
  return [
    `Node ${node.node}: ${node.sentence}; ${asDesired}`,
    ...node.problems.map(({ part, message }) => `  ${part}: ${message}`),
    ...(pods.length === 0 ? [] : ['']),
    ...pods.flatMap(({ pod, sentence, lastError }) => [
      `${pod.namespace}/${pod.name} ${sentence}`,
      ...(lastError === undefined ? [] : [`  last error: ${lastError.message.split('\n', 1)[0] ?? ''}`]),
    ]),
  ].map(printable);
}

const LABEL_WIDTH = 12;

/** Returns a labelled text; its further lines are indented. */
function field(label: string, text: string): string[] {
  const [first = '', ...more] = text.trim().split('\n');
  const indent = ' '.repeat(LABEL_WIDTH);
  return [
    `${(label === '' ? '' : `${label}:`).padEnd(LABEL_WIDTH)}${first}`,
    ...more.map((line) => `${indent}${line}`),
  ];
}

function stepLine({ kind, container, subject, startMs, durationMs, result, message }: Step, nowMs: number): string {
  const took = durationMs === undefined ? `${age(startMs, nowMs)} so far` : formatDuration(durationMs);
  const about = [kind, container, subject].filter(Boolean).join(' ');
  const failure = result === undefined || result === 'ok' ? '' : ` ${result}`;
  const text = message === undefined ? '' : `: ${message.split('\n', 1)[0] ?? ''}`;
  return `${new Date(startMs).toISOString().slice(11, 19)}  ${took.padStart(7)}  ${about}${failure}${text}`;
}

function age(atMs: number, nowMs: number): string {
  return formatDuration(Math.max(0, nowMs - atMs));
}
