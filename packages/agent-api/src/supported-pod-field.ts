import type { Pod } from '@rxlet/kube-api';

/**
 * A field that a module honours, as a path from the pod: `spec.containers[*].livenessProbe`. `[*]` stands for each element of a list and `.*` for each key of a
 * map. Everything below a supported field is supported too, unless `accepts` is given, which decides by the value.
 */
export type SupportedPodField = string | ConditionalPodField;

/** A field with a limited set of supported values. */
export interface ConditionalPodField {
  readonly path: string;
  /** Reports whether the value is supported. `key` is the last segment: the field's name, or the key in a map. */
  accepts(value: unknown, key: string, pod: Pod): boolean;
}

/** Returns the paths of fields of containers of every kind: `containerFields('livenessProbe')`. */
export function containerFields(...names: readonly string[]): readonly string[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    names.map((name) => `spec.${list}[*].${name}`),
  );
}
