/** Starts a program and waits for its end. Rejects, with what it printed, when it does not end with 0. */
import { execFile } from 'node:child_process';

/** @returns {Promise<{ stdout: string, stderr: string, ms: number }>} */
export function runProgram(program, args, options = {}) {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: 2 ** 26, ...options }, (error, stdout, stderr) => {
      if (!error) return resolve({ stdout, stderr, ms: performance.now() - startedAt });
      reject(new Error(`${program} ${args.join(' ')}: ${error.message}\n${stdout}\n${stderr}`));
    });
  });
}
