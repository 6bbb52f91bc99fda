import assert from 'node:assert/strict';
import { join } from 'node:path';
import {
  type ContainerState,
  type ContainerStatus,
  type CreateContainerRequestSchema,
  type PodSandboxConfigSchema,
  type PodSandboxStatus,
} from '../../gen/runtime/v1/messages.js';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ImageService, RuntimeService } from '../ports.ts';
import { callErrorCode, type StatusCode, statusCodeName } from '../status-code.ts';

/** A running container runtime under test, with the means to observe it. */
export interface ContractSubject {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Reference, with its tag, of an image that is present and has a shell and the usual commands in its `PATH`. */
  readonly image: string;
  /** Empty directory of this machine in which the runtime writes container logs. */
  readonly logDirectory: string;
  /** Advances the time of the runtime and its containers. */
  pass(ms: number): Promise<void>;
  /** Whether the runtime streams container events. If not, it must answer Unimplemented. */
  readonly hasEvents: boolean;
}

/** A rule of the CRI and its check. */
export interface ContractCase {
  /** The rule, as a sentence whose subject is the runtime. */
  readonly name: string;
  check(subject: ContractSubject): Promise<void>;
}

export type SandboxConfigInit = MessageInitShape<typeof PodSandboxConfigSchema>;
export type ContainerConfigInit = NonNullable<MessageInitShape<typeof CreateContainerRequestSchema>['config']>;

/** A sandbox of a case, with short forms of the calls that most cases make. Disposing of it stops and removes it. */
export interface TestSandbox extends AsyncDisposable {
  readonly id: string;
  readonly config: SandboxConfigInit;
  /** Directory of its logs. */
  readonly logDirectory: string;
  status(): Promise<PodSandboxStatus>;
  /** Creates a container that runs `script` by a shell. @returns its id. */
  create(name: string, script: string, config?: Partial<ContainerConfigInit>): Promise<string>;
  /** Creates and starts it. @returns its id. */
  start(name: string, script: string, config?: Partial<ContainerConfigInit>): Promise<string>;
}

/** Runs a sandbox for a pod of the given name; names must differ between cases. */
export async function runSandbox(
  { runtime, image, logDirectory: root }: ContractSubject,
  name: string,
  more: Partial<SandboxConfigInit> = {},
): Promise<TestSandbox> {
  const logDirectory = join(root, name);
  const config = { metadata: sandboxMetadata(name), logDirectory, ...more } as SandboxConfigInit;
  const { podSandboxId } = await runtime.runPodSandbox({ config });
  const sandbox: TestSandbox = {
    id: podSandboxId,
    config,
    logDirectory,
    async status() {
      const { status } = await runtime.podSandboxStatus({ podSandboxId });
      assert(status !== undefined, 'PodSandboxStatus has no status');
      return status;
    },
    async create(containerName, script, own = {}) {
      const containerConfig = {
        metadata: { name: containerName, attempt: 0 },
        image: { image },
        command: ['sh', '-c', script],
        logPath: `${containerName}.log`,
        ...own,
      } as ContainerConfigInit;
      const created = await runtime.createContainer({ podSandboxId, sandboxConfig: config, config: containerConfig });
      return created.containerId;
    },
    async start(containerName, script, own) {
      const containerId = await sandbox.create(containerName, script, own);
      await runtime.startContainer({ containerId });
      return containerId;
    },
    async [Symbol.asyncDispose]() {
      await runtime.stopPodSandbox({ podSandboxId });
      await runtime.removePodSandbox({ podSandboxId });
    },
  };
  return sandbox;
}

/** Metadata of the only sandbox of a pod of the given name. */
export function sandboxMetadata(name: string): { name: string; namespace: string; uid: string; attempt: number } {
  return { name, namespace: 'contract', uid: `uid-${name}`, attempt: 0 };
}

/** Returns the status of a container. */
export async function containerStatus({ runtime }: ContractSubject, containerId: string): Promise<ContainerStatus> {
  const { status } = await runtime.containerStatus({ containerId });
  assert(status !== undefined, 'ContainerStatus has no status');
  return status;
}

/** Waits until a container has the given state and returns its status. Throws when it has not after ten seconds. */
export async function containerIn(
  subject: ContractSubject,
  containerId: string,
  state: ContainerState,
): Promise<ContainerStatus> {
  return waitFor(subject, `container to be in state ${String(state)}`, async () => {
    const status = await containerStatus(subject, containerId);
    return status.state === state ? status : undefined;
  });
}

/** Polls until `look` returns a value. Throws when it has not after ten seconds. */
export async function waitFor<T>(
  { pass }: ContractSubject,
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 50) {
    const found = await look();
    if (found !== undefined) return found;
    await pass(50);
  }
  throw new assert.AssertionError({ message: `waited 10 s for the ${what}` });
}

/** Checks that a call fails with one of the given gRPC codes. */
export async function failsWith(codes: StatusCode | readonly StatusCode[], call: Promise<unknown>): Promise<void> {
  const expected = typeof codes === 'number' ? [codes] : codes;
  const error = await call.then(
    () => assert.fail(`the call succeeded instead of failing with ${expected.map(statusCodeName).join(' or ')}`),
    (failure: unknown) => failure,
  );
  const code = callErrorCode(error);
  if (code !== undefined && expected.includes(code)) return;
  const actual = code === undefined ? 'without a code' : `with ${statusCodeName(code)}`;
  throw new assert.AssertionError({
    message: `the call failed ${actual} instead of ${expected.map(statusCodeName).join(' or ')}: ${String(error)}`,
  });
}
