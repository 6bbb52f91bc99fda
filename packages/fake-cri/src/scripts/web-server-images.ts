import { FileError } from '../fs/file-system.ts';
import type { Program } from '../process/program.ts';
import type { Plan } from './plan.ts';

interface WebServer {
  /** Matches the last part of its images' repository. */
  readonly image: RegExp;
  readonly port: number;
  readonly command: readonly [string, ...string[]];
}

const NGINX = ['nginx', '-g', 'daemon off;'] as const;
const WEB_SERVERS: readonly WebServer[] = [
  { image: /^nginx$/, port: 80, command: NGINX },
  { image: /^httpd$/, port: 80, command: ['httpd-foreground'] },
  // The image of the CRI validation suite for pods on the host's network.
  { image: /^hostnet-nginx-\w+$/, port: 12003, command: NGINX },
];

function webServerOf(image: string): WebServer | undefined {
  const name = /([^/:@]+)(?:[:@][^/]*)?$/.exec(image)?.[1] ?? '';
  return WEB_SERVERS.find((server) => server.image.test(name));
}

/** Returns the plan of an image that is known as a web server: HTTP on its port, beside whatever program it has. */
export function webServerPlan(images: readonly string[]): Plan | undefined {
  const server = images.map(webServerOf).find((found) => found !== undefined);
  return server && { ports: [{ port: server.port, protocol: 'http', responses: [{ body: PAGE }] }] };
}

/** Returns the entrypoint of an image that is known as a web server. */
export function webServerCommand(image: string): readonly string[] | undefined {
  return webServerOf(image)?.command;
}

/** Returns the program of a web server's command: it leaves the traces by which others find it, and runs until it is stopped. */
export function webServerProgram(command: string): Program | undefined {
  switch (command.slice(command.lastIndexOf('/') + 1)) {
    case 'nginx':
      return ({ files, pid }) => {
        try {
          files.write('/var/run/nginx.pid', `${String(pid)}\n`, false);
        } catch (error) {
          if (!(error instanceof FileError)) throw error;
        }
        return new Promise(() => undefined);
      };
    case 'httpd-foreground':
      return ({ write }) => {
        write('stderr', "AH00094: Command line: 'httpd -D FOREGROUND'\n");
        return new Promise(() => undefined);
      };
    default:
      return undefined;
  }
}

const PAGE = '<!DOCTYPE html><title>Welcome</title><h1>It works!</h1>\n';
