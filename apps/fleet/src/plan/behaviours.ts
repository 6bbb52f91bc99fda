import { readFile } from 'node:fs/promises';
import { errorMessage, seededRandom, systemClock } from '@rxlet/component-base';
import { createFakeRuntime, type FakeRuntime } from '@rxlet/fake-cri';
import { parse } from 'yaml';
import { InputFileError } from './input-file-error.ts';
import { type NodeFaultRule, parseNodeFaults } from './node-faults.ts';

type Target = Parameters<FakeRuntime['setScript']>[0];
type Script = NonNullable<Parameters<FakeRuntime['setScript']>[1]>;

/** Behaviour of the containers of an image, or of a name. */
export interface ContainerBehaviour {
  readonly target: Target;
  readonly script: Script;
}

/** Behaviours of a fleet. */
export interface FleetBehaviours {
  readonly containers: readonly ContainerBehaviour[];
  readonly nodeFaults: readonly NodeFaultRule[];
}

/**
 * Reads a file with behaviour scripts of the fake runtime, `images` by the references of images, and `containers` by their names, which win; and with `nodeFaults`.
 *
 * @throws InputFileError for a file that cannot be read, and for a script that is not valid
 */
export async function readBehaviours(path: string): Promise<FleetBehaviours> {
  let value: unknown;
  try {
    value = parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new InputFileError(`cannot read ${path}: ${errorMessage(error)}`, { cause: error });
  }
  const { images = {}, containers = {}, nodeFaults = [], ...others } = (value ?? {}) as BehaviourFile;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new InputFileError(`${path}: unknown field "${unknown}": there are images, containers and nodeFaults`);
  const behaviours = [
    ...Object.entries(images).map(([image, script]) => ({ target: { image }, script })),
    ...Object.entries(containers).map(([container, script]) => ({ target: { container }, script })),
  ];
  await check(path, behaviours);
  return { containers: behaviours, nodeFaults: parseNodeFaults(path, nodeFaults) };
}

interface BehaviourFile {
  readonly images?: Readonly<Record<string, Script>>;
  readonly containers?: Readonly<Record<string, Script>>;
  readonly nodeFaults?: unknown;
}

/** Tries the scripts, so that a wrong one is reported before there are nodes. */
async function check(path: string, behaviours: readonly ContainerBehaviour[]): Promise<void> {
  await using fake = createFakeRuntime({ clock: systemClock, random: seededRandom(1) });
  for (const { target, script } of behaviours) {
    try {
      fake.setScript(target, script);
    } catch (error) {
      throw new InputFileError(`${path}: ${JSON.stringify(target)}: ${errorMessage(error)}`, { cause: error });
    }
  }
}
