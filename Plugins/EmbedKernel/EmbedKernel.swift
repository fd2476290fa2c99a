import PackagePlugin

/// Runs the tool that writes the kernel's text into a Swift file.
@main
struct EmbedKernel: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let target = target as? SourceModuleTarget else { return [] }
    let sources = target.sourceFiles.filter { $0.url.pathExtension == "st" }.map(\.url)
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
    let output = context.pluginWorkDirectoryURL.appending(path: "KernelText.swift")
    return [
      .buildCommand(
        displayName: "Embedding the kernel",
        executable: try context.tool(named: "EmbedKernelTool").url,
        arguments: [output.path] + sources.map(\.path),
        inputFiles: sources, outputFiles: [output])
    ]
  }
}
