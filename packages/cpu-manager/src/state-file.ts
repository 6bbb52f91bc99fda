import { goQuote } from '@rxlet/component-base/go';
import { type CpuSet, formatCpuSet, parseCpuSet } from '@rxlet/machine/topology';
import { fnv1a32, goJson } from '@rxlet/pod-model/hash';
import { CheckpointError, checkpointObject, parseCheckpointJson } from '@rxlet/pod-model/resize';
import { CpuPolicyError } from './cpu-policy-error.ts';
import { type CpuState, startCpuState, type StoredCpuState } from './cpu-state.ts';
import type { StaticCpuPolicy } from './static-policy.ts';

/** Name of the state file in the root directory. */
export const CPU_STATE_FILE = 'cpu_manager_state';

/** Content of the state file. */
export interface CpuStateFile extends StoredCpuState {
  /** `none` or `static`. */
  readonly policyName: string;
}

type Entries = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Names of the type that kubelets hash with the content: those of 1.36, and with another feature gate. */
const GO_TYPES = ['CPUManagerCheckpoint', 'CPUManagerCheckpointV2'] as const;

/** Formats the state file like kubelet 1.36, with its checksum. A policy `none` has no CPUs and no assignments. */
export function formatCpuState({ policyName, shared, assignments }: CpuStateFile): string {
  const defaultCpuSet = formatCpuSet(shared);
  const entries: Entries = Object.fromEntries(
    sorted([...assignments]).map(([uid, containers]) => [
      uid,
      Object.fromEntries(sorted([...containers]).map(([name, cpus]) => [name, formatCpuSet(cpus)])),
    ]),
  );
  const checksum = fnv1a32(goText(GO_TYPES[0], policyName, defaultCpuSet, entries));
  return goJson({ policyName, defaultCpuSet, ...(assignments.size > 0 && { entries }), checksum });
}

/**
 * Parses a state file of {@link formatCpuState} or of a kubelet. A file without checksum is accepted.
 * @throws CheckpointError
 */
export function parseCpuState(text: string): CpuStateFile {
  const file = checkpointObject(parseCheckpointJson(text), 'the file');
  const { policyName = '', defaultCpuSet = '', checksum = 0 } = file;
  if (typeof policyName !== 'string' || typeof defaultCpuSet !== 'string')
    throw new CheckpointError('InvalidContent', 'the fields "policyName" and "defaultCpuSet" must be texts');
  const entries = readEntries(file['entries'] ?? {});
  if (
    checksum !== 0 &&
    !GO_TYPES.some((type) => fnv1a32(goText(type, policyName, defaultCpuSet, entries)) === checksum)
  )
    throw new CheckpointError('ChecksumMismatch', 'checkpoint is corrupted');
  const shared = readCpus(defaultCpuSet, `could not parse default cpu set ${goQuote(defaultCpuSet)}`);
  const assignments = new Map(
    Object.entries(entries).map(([uid, containers]) => [
      uid,
      new Map(
        Object.entries(containers).map(([name, list]) => [
          name,
          readCpus(
            list,
            `could not parse cpuset ${goQuote(list)} for container ${goQuote(name)} in pod ${goQuote(uid)}`,
          ),
        ]),
      ),
    ]),
  );
  return { policyName, shared, assignments };
}

/**
 * Restores the state of a static policy from the text of its file. A file without assignments that contradicts the policy is replaced, since no container
 * depends on it.
 *
 * @param text `undefined` when there is no file
 * @param path path of the file, for messages
 * @throws CpuPolicyError when the file is damaged, or its assignments contradict the policy or the machine
 */
export function restoreCpuState(policy: StaticCpuPolicy, text: string | undefined, path: string): CpuState {
  const file = readForPolicy('static', text, path);
  if (file === undefined) return startCpuState(policy);
  try {
    return startCpuState(policy, file);
  } catch (error) {
    if (!(error instanceof CpuPolicyError)) throw error;
    if (file.assignments.size === 0) return startCpuState(policy);
    throw notRestored(error.message, path, error);
  }
}

/**
 * Checks the text of a state file before an agent starts with the policy `none`, which replaces it.
 *
 * @param text `undefined` when there is no file
 * @param path path of the file, for messages
 * @throws CpuPolicyError when the file is damaged, or containers have CPUs by another policy
 */
export function checkUnusedCpuState(text: string | undefined, path: string): void {
  readForPolicy('none', text, path);
}

/** Returns the state of a file; `undefined` when there is none, or one of another policy without assignments. */
function readForPolicy(policyName: string, text: string | undefined, path: string): CpuStateFile | undefined {
  if (text === undefined) return undefined;
  let file: CpuStateFile;
  try {
    file = parseCpuState(text);
  } catch (error) {
    if (error instanceof CheckpointError) throw notRestored(error.message, path, error);
    throw error;
  }
  if (file.policyName === policyName) return file;
  if (file.assignments.size === 0) return undefined;
  const policies = `configured policy ${goQuote(policyName)} differs from state checkpoint policy ${goQuote(file.policyName)}`;
  throw notRestored(policies, path);
}

function notRestored(reason: string, path: string, cause?: unknown): CpuPolicyError {
  return new CpuPolicyError(
    `could not restore state from checkpoint: ${reason}, please drain this node and delete the CPU manager checkpoint file ${goQuote(path)} before restarting the agent`,
    { cause },
  );
}

/** Returns the text that Go prints for the content, of which kubelets compute the checksum. */
function goText(type: string, policyName: string, defaultCpuSet: string, entries: Entries): string {
  const goMap = (texts: readonly (readonly [string, string])[]): string =>
    `map[${sorted(texts)
      .map(([key, text]) => `${key}:${text}`)
      .join(' ')}]`;
  const pods = Object.entries(entries).map(([uid, containers]) => [uid, goMap(Object.entries(containers))] as const);
  const fields = [
    `PolicyName:(string)${policyName}`,
    `DefaultCPUSet:(string)${defaultCpuSet}`,
    `Entries:(map[string]map[string]string)${goMap(pods)}`,
    'Checksum:(checksum.Checksum)0',
  ];
  return `(*state.${type}){${fields.join(' ')}}`;
}

function sorted<T>(entries: readonly (readonly [string, T])[]): readonly (readonly [string, T])[] {
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
}

function readEntries(value: unknown): Entries {
  return Object.fromEntries(
    Object.entries(checkpointObject(value, 'the field "entries"')).map(([uid, containers]) => [
      uid,
      Object.fromEntries(
        Object.entries(checkpointObject(containers, `pod ${goQuote(uid)}`)).map(([name, cpus]) => {
          if (typeof cpus === 'string') return [name, cpus];
          throw new CheckpointError(
            'InvalidContent',
            `the CPUs of container ${goQuote(name)} in pod ${goQuote(uid)} are no text`,
          );
        }),
      ),
    ]),
  );
}

function readCpus(list: string, problem: string): CpuSet {
  const cpus = parseCpuSet(list);
  if (cpus !== undefined) return cpus;
  throw new CheckpointError('InvalidContent', problem);
}
