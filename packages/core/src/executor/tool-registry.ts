import { expected, SDKError } from '../contract/index.js';
import type { Tool } from '../ports/index.js';

/** The tools of an agent by name. */
export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();

  constructor(tools: readonly Tool[] = []) {
    this.registerMany(tools);
  }

  /** Rejects a second tool of one name with `LOUSHO_TOOL_DUPLICATE`. */
  register(tool: Tool): void {
    if (typeof tool?.name !== 'string' || typeof tool.execute !== 'function') {
      throw expected('tools', 'tools made by defineTool()', tool);
    }
    if (this.#tools.has(tool.name)) {
      throw new SDKError(
        'LOUSHO_TOOL_DUPLICATE',
        `Expected each tool to have its own name, got two called ${tool.name}`,
      );
    }
    this.#tools.set(tool.name, tool);
  }

  registerMany(tools: readonly Tool[]): void {
    for (const tool of tools) this.register(tool);
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** Names, in the order of registration. */
  list(): readonly string[] {
    return [...this.#tools.keys()];
  }

  getAll(): ReadonlyMap<string, Tool> {
    return new Map(this.#tools);
  }

  unregister(name: string): boolean {
    return this.#tools.delete(name);
  }

  clear(): void {
    this.#tools.clear();
  }

  size(): number {
    return this.#tools.size;
  }
}
