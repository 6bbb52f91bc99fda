import type { KubeletConfiguration } from './kubelet-configuration.ts';

/** Path of a field of KubeletConfiguration, such as `maxPods` and `authentication.webhook.enabled`. */
export type KubeletField = PathIn<KubeletConfiguration>;

/** Paths of the fields of `T` that are no objects with fields of their own; lists and maps are one field. */
type PathIn<T> = {
  [Name in keyof T & string]-?: IsStruct<NonNullable<T[Name]>> extends true
    ? `${Name}.${PathIn<NonNullable<T[Name]>>}`
    : Name;
}[keyof T & string];

type IsStruct<T> = T extends object
  ? T extends readonly unknown[]
    ? false
    : string extends keyof T
      ? false
      : true
  : false;
