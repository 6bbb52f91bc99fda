import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { formatTag, parseImageReference } from '../image-reference.ts';
import { BehaviourScriptError, parseBehaviourScript } from './parse-behaviour-script.ts';
import { type Plan, planAttempt } from './plan.ts';
import type { BehaviourScript } from './script.ts';
import { webServerPlan } from './web-server-images.ts';

/** The annotation of a sandbox or container that has the YAML script of container `name`: `fake.rxlet.dev/<name>`. */
export const SCRIPT_ANNOTATION_PREFIX = 'fake.rxlet.dev/';

/** Target of a script: all containers of an image, or containers by name, of one pod (`namespace/name`) or of all. */
export type ScriptTarget = { readonly image: string } | { readonly container: string; readonly pod?: string };

/** Properties of a container that select its script. */
export interface ScriptedContainer {
  readonly name: string;
  /** `namespace/name` of its pod. */
  readonly pod: string;
  readonly attempt: number;
  /** References of its image. */
  readonly images: readonly string[];
  /** Its own annotations, then those of its sandbox. */
  readonly annotations: readonly Readonly<Record<string, string>>[];
}

/** The scripts of a runtime. */
export interface ScriptStore {
  /** Sets a script, or removes it with `undefined`, for containers that are created from now on. Throws InvalidArgument. */
  set(target: ScriptTarget, script: BehaviourScript | string | undefined): void;
  /**
   * Returns the plan of a container that is being created: set by its name, in its annotations, or for its image, or that of a web server. Throws InvalidArgument for
   * a bad annotation.
   */
  planFor(container: ScriptedContainer): Plan | undefined;
}

/** Creates a {@link ScriptStore} with scripts by image. Throws InvalidArgument. */
export function createScriptStore(byImage: Readonly<Record<string, BehaviourScript | string>>): ScriptStore {
  const scripts = new Map<string, BehaviourScript>();

  const set: ScriptStore['set'] = (target, script) => {
    if (!('image' in target) && typeof target.container !== 'string')
      throw new ServiceError(StatusCode.InvalidArgument, 'a script target must have an image or a container');
    const key = 'image' in target ? imageKey(target.image) : containerKey(target.container, target.pod);
    if (script === undefined) scripts.delete(key);
    else scripts.set(key, parse(script, `script of ${key}`));
  };
  for (const [image, script] of Object.entries(byImage)) set({ image }, script);

  return {
    set,
    planFor({ name, pod, attempt, images, annotations }) {
      const key = `${SCRIPT_ANNOTATION_PREFIX}${name}`;
      const annotation = annotations.find((each) => Object.hasOwn(each, key))?.[key];
      const script =
        scripts.get(containerKey(name, pod)) ??
        scripts.get(containerKey(name, undefined)) ??
        (annotation === undefined ? undefined : parse(annotation, `annotation ${key}`)) ??
        (scripts.size === 0
          ? undefined
          : images.map((image) => scripts.get(`image ${image}`)).find((found) => found !== undefined));
      return script === undefined ? webServerPlan(images) : planAttempt(script, attempt);
    },
  };
}

function imageKey(image: string): string {
  const reference = parseImageReference(image);
  return `image ${formatTag(reference) ?? `${reference.repository}@${reference.digest ?? ''}`}`;
}

function containerKey(container: string, pod: string | undefined): string {
  return pod === undefined ? `container ${container}` : `container ${container} of ${pod}`;
}

function parse(script: BehaviourScript | string, where: string): BehaviourScript {
  try {
    return parseBehaviourScript(script);
  } catch (error) {
    if (!(error instanceof BehaviourScriptError)) throw error;
    throw new ServiceError(StatusCode.InvalidArgument, `${where}: ${error.message}`, { cause: error });
  }
}
