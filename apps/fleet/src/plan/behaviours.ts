import { readFile } from 'node:fs/promises';
import { errorMessage, seededRandom, systemClock } from '@rxlet/component-base';
import { createFakeRuntime, type FakeRuntime } from '@rxlet/fake-cri';
import { parse } from 'yaml';
import { InputFileError } from './node-template.ts';

type Target = Parameters<FakeRuntime['setScript']>[0];
type Script = NonNullable<Parameters<FakeRuntime['setScript']>[1]>;

/** Behaviour of the containers of an image, or of a name. */
export interface ContainerBehaviour {
  readonly target: Target;
  readonly script: Script;
}

/**
 * Reads a file with behaviour scripts of the fake runtime: `images` by the references of images, and `containers` by their names, which win.
 *
 * @throws InputFileError for a file that cannot be read, and for a script that is not valid
 */
export async function readBehaviours(path: string): Promise<readonly ContainerBehaviour[]> {
  let value: unknown;
  try {
    value = parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new InputFileError(`cannot read ${path}: ${errorMessage(error)}`, { cause: error });
  }
  const { images = {}, containers = {}, ...others } = (value ?? {}) as Readonly<Record<string, Record<string, Script>>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new InputFileError(`${path}: unknown field "${unknown}": there are images and containers`);
  const behaviours = [
    ...Object.entries(images).map(([image, script]) => ({ target: { image }, script })),
    ...Object.entries(containers).map(([container, script]) => ({ target: { container }, script })),
  ];
  await check(path, behaviours);
  return behaviours;
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
