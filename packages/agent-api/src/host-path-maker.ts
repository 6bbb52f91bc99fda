import { serviceKey, type ServiceKey } from './service-key.ts';

/** Creates what a hostPath volume of type `DirectoryOrCreate` or `FileOrCreate` lacks. The path is anywhere on the host, as its author wants it. */
export interface HostPathMaker {
  /** Creates a directory of mode 0755 and its missing parents. */
  makeDirectory(path: string): Promise<void>;
  /** Creates an empty file of mode 0644. Its directory must exist. */
  makeFile(path: string): Promise<void>;
}

/** Creates the paths of hostPath volumes, where that is not done on this machine. */
export const hostPathMaker: ServiceKey<HostPathMaker> = serviceKey('host path maker');
