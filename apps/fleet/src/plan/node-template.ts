import { readFile } from 'node:fs/promises';
import { errorMessage } from '@rxlet/component-base';
import type { Node } from '@rxlet/kube-api';
import { quantityNumber } from '@rxlet/pod-model/quantity';
import { parse } from 'yaml';
import { InputFileError } from './input-file-error.ts';
import type { NodeTemplate } from './plan-nodes.ts';

/** Template of nodes without a manifest. */
export const DEFAULT_TEMPLATE: NodeTemplate = {
  size: { cpus: 8, memoryBytes: 32 * 2 ** 30, diskBytes: 200 * 2 ** 30, maxPods: 110 },
  labels: {},
  taints: [],
};

/** Reads the manifest of a Node: its labels, its taints, and of its capacity `cpu`, `memory`, `ephemeral-storage` and `pods`. @throws InputFileError */
export async function readTemplate(path: string): Promise<NodeTemplate> {
  let value: unknown;
  try {
    value = parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new InputFileError(`cannot read ${path}: ${errorMessage(error)}`, { cause: error });
  }
  const node = value as Node | null;
  if (node?.kind !== 'Node') throw new InputFileError(`${path}: it is not the manifest of a Node`);
  const { metadata, spec, status } = node;
  const capacity = status?.capacity ?? {};
  const unknown = Object.keys(capacity).find((name) => !CAPACITIES.includes(name));
  if (unknown !== undefined)
    throw new InputFileError(`${path}: status.capacity.${unknown}: a simulated node has no such resource`);
  const amount = (name: string, otherwise: number): number => {
    const text = capacity[name];
    if (text === undefined) return otherwise;
    const number = quantityNumber(String(text));
    if (!(number >= 1))
      throw new InputFileError(`${path}: status.capacity.${name}: "${String(text)}" is not an amount`);
    return Math.floor(number);
  };
  const { size } = DEFAULT_TEMPLATE;
  return {
    size: {
      cpus: amount('cpu', size.cpus),
      memoryBytes: amount('memory', size.memoryBytes),
      diskBytes: amount('ephemeral-storage', size.diskBytes),
      maxPods: amount('pods', size.maxPods),
    },
    labels: metadata?.labels ?? {},
    taints: spec?.taints ?? [],
  };
}

const CAPACITIES: readonly string[] = ['cpu', 'memory', 'ephemeral-storage', 'pods'];
