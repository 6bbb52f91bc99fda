import { API_VERSION, KIND } from './decode/decode-configuration.ts';
import { encodeStruct } from './decode/encode-value.ts';
import { toPlainJson } from './decode/json-value.ts';
import type { KubeletConfiguration } from '@rxlet/component-base/kubelet-configuration';
import { kubeletConfigurationFields } from './schema/kubelet-configuration-fields.ts';

/** Writes a configuration as the JSON object of the API. */
export function encodeConfiguration(configuration: KubeletConfiguration): Record<string, unknown> {
  const fields = toPlainJson(encodeStruct(kubeletConfigurationFields, configuration)) as Record<string, unknown>;
  return { apiVersion: API_VERSION, kind: KIND, ...fields };
}
