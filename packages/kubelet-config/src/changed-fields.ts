import { isDeepStrictEqual } from 'node:util';
import type { KubeletConfiguration } from '@rxlet/component-base/kubelet-configuration';
import type { LoadedConfiguration } from './load-configuration.ts';
import { applyDefaults } from './defaults.ts';
import { encodeStruct } from './decode/encode-value.ts';
import { toPlainJson } from './decode/json-value.ts';
import { allFieldPaths } from './schema/field-paths.ts';
import { kubeletConfigurationFields } from './schema/kubelet-configuration-fields.ts';

/** Returns the paths of the configured fields whose value is not the default. */
export function changedFields({
  configuration,
  configuredFields,
  gates,
}: Pick<LoadedConfiguration, 'configuration' | 'configuredFields' | 'gates'>): readonly string[] {
  return differentFields(configuration, applyDefaults({}, gates)).filter((path) => configuredFields.has(path));
}

/** Returns the paths of the fields whose values differ. */
export function differentFields(one: KubeletConfiguration, other: KubeletConfiguration): readonly string[] {
  const [left, right] = [one, other].map((each) => toPlainJson(encodeStruct(kubeletConfigurationFields, each)));
  return allFieldPaths().filter((path) => !isDeepStrictEqual(valueAt(left, path), valueAt(right, path)));
}

function valueAt(object: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], object);
}
