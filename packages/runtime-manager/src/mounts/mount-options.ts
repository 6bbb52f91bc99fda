import { goQuote } from '@rxlet/component-base/go';
import { MountPropagation } from '@rxlet/cri-api';
import type { VolumeMount } from '@rxlet/kube-api';
import { expandVariables } from '@rxlet/pod-model';
import { createBoundedLength } from '../config/bounded-length.ts';
import { containerConfigError } from '../config/config-error.ts';

/** Returns the propagation of a mount for CRI. @throws ConfigError for an unknown mode */
export function mountPropagation({ mountPropagation: mode }: VolumeMount): MountPropagation {
  switch (mode) {
    case undefined:
    case 'None':
      return MountPropagation.PROPAGATION_PRIVATE;
    case 'HostToContainer':
      return MountPropagation.PROPAGATION_HOST_TO_CONTAINER;
    case 'Bidirectional':
      return MountPropagation.PROPAGATION_BIDIRECTIONAL;
    default:
      throw containerConfigError(`invalid MountPropagation mode: ${goQuote(mode)}`);
  }
}

/**
 * Reports whether a mount must be read-only with all mounts below it.
 *
 * @param isSupported whether the pod's runtime handler can mount so
 * @throws ConfigError for a mode that is unknown, not supported, or not compatible with the mount
 */
export function isRecursiveReadOnly(
  { name, readOnly, mountPropagation: propagation, recursiveReadOnly: mode }: VolumeMount,
  isSupported: boolean,
): boolean {
  if (mode === undefined || mode === 'Disabled') return false;
  const fail = (what: string): never => {
    throw containerConfigError(`failed to resolve recursive read-only mode: ${what}`);
  };
  const requested = `volume ${goQuote(name)} requested recursive read-only mode`;
  if (readOnly !== true) fail(`${requested}, but it is not read-only`);
  if (propagation !== undefined && propagation !== 'None') {
    fail(`${requested}, but it is not compatible with propagation ${goQuote(propagation)}`);
  }
  switch (mode) {
    case 'IfPossible':
      return isSupported;
    case 'Enabled':
      return isSupported || fail(`${requested}, but it is not supported by the runtime`);
    default:
      return fail(`unknown recursive read-only mode ${goQuote(mode)}`);
  }
}

/** Longest path of Linux. Its variables may make a path as long as an environment, of which each mount would have a copy. */
const MAX_PATH_LENGTH = 4095;

/**
 * Returns the path below the volume that a mount shows; empty for the whole volume.
 *
 * @param environment variables of the container, for `subPathExpr`
 * @throws ConfigError for a variable without a value, and for a path that leads out of the volume or is too long
 */
export function mountedSubPath(
  { name, subPath: given = '', subPathExpr = '' }: VolumeMount,
  environment: ReadonlyMap<string, string>,
): string {
  const bounded = createBoundedLength(`SubPath of volume ${goQuote(name)}`, MAX_PATH_LENGTH);
  const subPath = bounded.add(() => (subPathExpr === '' ? given : expandSubPath(subPathExpr, environment)));
  if (subPath.startsWith('/')) throw containerConfigError(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split('/').includes('..')) {
    throw containerConfigError(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
  }
  return subPath;
}

function expandSubPath(expression: string, environment: ReadonlyMap<string, string>): string {
  const missing = new Set<string>();
  const expanded = expandVariables(expression, (name) => {
    const value = environment.get(name) ?? '';
    if (value === '') missing.add(name);
    return value;
  });
  if (missing.size > 0) throw containerConfigError(`missing value for ${[...missing].toSorted().join(', ')}`);
  return expanded;
}
