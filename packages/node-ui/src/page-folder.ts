import { fileURLToPath } from 'node:url';

/** Folder of the built page: beside the sources and the build of this package, and beside a bundle that contains it. */
export const PAGE_FOLDER: string = fileURLToPath(new URL('../static', import.meta.url));
