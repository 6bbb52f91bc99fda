/**
 * `T` with every `readonly` removed, at all depths: for code that builds an object step by step and then returns it as `T`. An object from elsewhere is shared
 * and stays read-only; copy it (`structuredClone`) before a change.
 */
export type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;
