import { goQuote } from '@rxlet/component-base/go';
import { fnv1a32, goJson } from '@rxlet/pod-model/hash';
import { CheckpointError, checkpointList, checkpointObject, parseCheckpointJson } from '@rxlet/pod-model/resize';
import type { MachineMemory, MemoryBlock, MemoryTable, NumaMemory } from './machine-memory.ts';
import { MemoryPolicyError } from './memory-policy-error.ts';
import { type MemoryAssignments, type MemoryState, type MemoryStateFile, startMemoryState } from './memory-state.ts';
import { goText } from './state-file-text.ts';
import type { StaticMemoryPolicy } from './static-policy.ts';

/** Name of the state file in the root directory. */
export const MEMORY_STATE_FILE = 'memory_manager_state';

/** Names of the type that kubelets hash with the content: those of 1.36, and with another feature gate. */
const GO_TYPES = ['MemoryManagerCheckpoint', 'MemoryManagerCheckpointV1'] as const;

/** Formats the state file like kubelet 1.36, with its checksum. A policy `None` has no memory and no assignments. */
export function formatMemoryState(state: MemoryStateFile): string {
  const { policyName, machine, assignments } = state;
  const machineState = Object.fromEntries(
    [...machine]
      .sort(([left], [right]) => left - right)
      .map(([id, { assignments: numberOfAssignments, tables, group }]) => [
        id,
        { numberOfAssignments, memoryMap: sortedRecord(Object.entries(tables)), cells: group },
      ]),
  );
  const entries = sortedRecord(
    [...assignments].map(([uid, containers]) => [
      uid,
      sortedRecord(
        [...containers].map(([name, blocks]) => [
          name,
          blocks.map(({ numaNodes, type, sizeBytes }) => ({ numaAffinity: numaNodes, type, size: sizeBytes })),
        ]),
      ),
    ]),
  );
  const checksum = fnv1a32(goText(GO_TYPES[0], state));
  return goJson({ policyName, machineState, ...(assignments.size > 0 && { entries }), checksum });
}

/**
 * Parses a state file of {@link formatMemoryState} or of a kubelet. A file without checksum is accepted.
 * @throws CheckpointError
 */
export function parseMemoryState(text: string): MemoryStateFile {
  const file = checkpointObject(parseCheckpointJson(text), 'the file');
  const { policyName = '', checksum = 0 } = file;
  if (typeof policyName !== 'string') throw new CheckpointError('InvalidContent', 'the field "policyName" is no text');
  const state = {
    policyName,
    machine: readMachine(file['machineState'] ?? {}),
    assignments: readAssignments(file['entries'] ?? {}),
  };
  if (checksum !== 0 && !GO_TYPES.some((type) => fnv1a32(goText(type, state)) === checksum))
    throw new CheckpointError('ChecksumMismatch', 'checkpoint is corrupted');
  return state;
}

/**
 * Restores the state of a static policy from the text of its file. A file without assignments that contradicts the policy is replaced, since no container
 * depends on it.
 *
 * @param text `undefined` when there is no file
 * @param path path of the file, for messages
 * @throws MemoryPolicyError when the file is damaged, or its assignments contradict the policy or the machine
 */
export function restoreMemoryState(policy: StaticMemoryPolicy, text: string | undefined, path: string): MemoryState {
  const file = readForPolicy('Static', text, path);
  if (file === undefined) return startMemoryState(policy);
  try {
    return startMemoryState(policy, file);
  } catch (error) {
    if (error instanceof MemoryPolicyError) throw notRestored(error.message, path, error);
    throw error;
  }
}

/**
 * Checks the text of a state file before an agent starts with the policy `None`, which replaces it.
 *
 * @param text `undefined` when there is no file
 * @param path path of the file, for messages
 * @throws MemoryPolicyError when the file is damaged, or containers have memory by another policy
 */
export function checkUnusedMemoryState(text: string | undefined, path: string): void {
  readForPolicy('None', text, path);
}

/** Returns the state of a file; `undefined` when there is none, or one without assignments. */
function readForPolicy(policyName: string, text: string | undefined, path: string): MemoryStateFile | undefined {
  if (text === undefined) return undefined;
  let file: MemoryStateFile;
  try {
    file = parseMemoryState(text);
  } catch (error) {
    if (error instanceof CheckpointError) throw notRestored(error.message, path, error);
    throw error;
  }
  if (file.assignments.size === 0) return undefined;
  if (file.policyName === policyName) return file;
  const policies = `configured policy ${goQuote(policyName)} differs from state checkpoint policy ${goQuote(file.policyName)}`;
  throw notRestored(`[memorymanager] ${policies}`, path);
}

function notRestored(reason: string, path: string, cause?: unknown): MemoryPolicyError {
  return new MemoryPolicyError(
    `could not restore state from checkpoint: ${reason}, please drain this node and delete the memory manager checkpoint file ${goQuote(path)} before restarting the agent`,
    { cause },
  );
}

function sortedRecord<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function readMachine(value: unknown): MachineMemory {
  const nodes = Object.entries(checkpointObject(value, 'the field "machineState"')).map(
    ([id, node]): [number, NumaMemory] => {
      const { numberOfAssignments, memoryMap, cells } = checkpointObject(node, `NUMA node ${id}`);
      const tables = Object.entries(checkpointObject(memoryMap ?? {}, `the memory of NUMA node ${id}`)).map(
        ([type, table]) => [type, readTable(table, `${type} of NUMA node ${id}`)] as const,
      );
      const subject = `the assignments of NUMA node ${id}`;
      return [
        numberOf(Number(id), 'the id of a NUMA node'),
        {
          assignments: numberOf(numberOfAssignments, subject),
          group: numbersOf(cells ?? [], `the cells of NUMA node ${id}`),
          tables: Object.fromEntries(tables),
        },
      ];
    },
  );
  return new Map(nodes);
}

function readTable(value: unknown, subject: string): MemoryTable {
  const table = checkpointObject(value, subject);
  const field = (name: keyof MemoryTable): number => numberOf(table[name], `the field "${name}" of ${subject}`);
  return {
    total: field('total'),
    systemReserved: field('systemReserved'),
    allocatable: field('allocatable'),
    reserved: field('reserved'),
    free: field('free'),
  };
}

function readAssignments(value: unknown): MemoryAssignments {
  return new Map(
    Object.entries(checkpointObject(value, 'the field "entries"')).map(([uid, containers]) => [
      uid,
      new Map(
        Object.entries(checkpointObject(containers, `pod ${uid}`)).map(([name, blocks]) => [
          name,
          checkpointList(blocks, `the memory of container ${name} in pod ${uid}`).map((block) =>
            readBlock(block, `container ${name} in pod ${uid}`),
          ),
        ]),
      ),
    ]),
  );
}

function readBlock(value: unknown, subject: string): MemoryBlock {
  const { numaAffinity, type, size } = checkpointObject(value, `the memory of ${subject}`);
  if (typeof type !== 'string') throw new CheckpointError('InvalidContent', `the memory of ${subject} has no type`);
  return {
    type,
    sizeBytes: numberOf(size, `the memory of ${subject}`),
    numaNodes: numbersOf(numaAffinity, `the NUMA nodes of ${subject}`),
  };
}

function numbersOf(value: unknown, subject: string): number[] {
  return checkpointList(value, subject).map((item) => numberOf(item, subject));
}

function numberOf(value: unknown, subject: string): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new CheckpointError('InvalidContent', `${subject} must be a whole number`);
}
