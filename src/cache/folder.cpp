#include "cache/folder.hpp"

#include <sys/vfs.h>

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

namespace markeval::cache {
namespace {

namespace fs = std::filesystem;

/// A log that several processes share needs locks and shared memory. Machines do not share memory, and FUSE
/// promises neither.
constexpr std::pair<std::uint32_t, const char*> kRemoteFileSystems[] = {
    {0x6969, "NFS"},        {0x517B, "SMB"},      {0xFF534D42, "SMB"},    {0xFE534D42, "SMB"},
    {0x5346414F, "AFS"},    {0x6B414653, "AFS"},  {0x0BD00BD0, "Lustre"}, {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"}, {0x00C36400, "Ceph"}, {0x01021997, "9P"},     {0x65735546, "FUSE"}};

/// Version 0.1.0 kept an LMDB file of up to 4 GB that nobody reads any more. Its files go by name, one by
/// one: what else a user put there stays.
void remove_old_version(const fs::path& folder, LogSink* log) {
  std::error_code ignored;
  std::uintmax_t bytes = 0;
  for (const char* name : {"vectors", "vectors.damaged"}) {
    const std::uintmax_t size = fs::file_size(folder / name / "data.mdb", ignored);
    if (fs::remove(folder / name / "data.mdb", ignored)) bytes += size;
    fs::remove(folder / name / "lock.mdb", ignored);
    fs::remove(folder / name, ignored);  // a folder goes if it is empty
  }
  if (bytes == 0) return;
  fs::remove(folder / "vectors.lock", ignored);
  if (log == nullptr) return;
  log->info("cache " + folder.string() + ": removed the file of version 0.1.0, " +
            std::to_string(bytes >> 20) + " MiB");
}

}  // namespace

std::string prepare_folder(const std::string& folder, LogSink* log) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return error.message();
  struct statfs status {};
  if (statfs(folder.c_str(), &status) == 0) {
    for (const auto& [type, name] : kRemoteFileSystems) {
      if (static_cast<std::uint32_t>(status.f_type) != type) continue;
      return std::string("it lies on ") + name +
             ", where processes may not share locks; set MARKEVAL_CACHE to a local folder";
    }
  }
  remove_old_version(folder, log);
  return {};
}

}  // namespace markeval::cache
