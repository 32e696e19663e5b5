/** Commands that need the browser and the servers of the tests, and are no tests: `screenshots` and `bench`. */
import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

export default defineConfig({ ...tests, testDir: "tests/tools", testMatch: /\.tool\.ts$/, timeout: 180_000 });
